// Declared twice.
// expect: K0212
// line: 7
// words: declared twice
model M
  Real x;
  Real x;
equation
  x = 1;
end M;
