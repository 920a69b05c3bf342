// Case of type.
// expect: K0202
// line: 6
// words: did you mean Real?
model M
  real x;
equation
  x = 1;
end M;
