// Der of integer.
// expect: K0349
// line: 8
// words: it is an Integer
model M
  Integer n(start = 0);
equation
  der(n) = 1;
end M;
