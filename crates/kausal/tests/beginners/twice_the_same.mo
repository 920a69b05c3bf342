// Twice the same.
// expect: K0404
// line: 8
// words: say the same
model M
  Real x, y;
equation
  x + y = 2;
  2*x + 2*y = 4;
end M;
