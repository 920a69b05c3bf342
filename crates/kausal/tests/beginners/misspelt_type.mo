// Misspelt type.
// expect: K0202
// line: 6
// words: did you mean Real?
model M
  Reel x;
equation
  x = 1;
end M;
