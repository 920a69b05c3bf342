// Bound twice with start.
// expect: K0410
// line: 7
// words: start at different fixed values
model M
  Real x(start = 1, fixed = true);
  Real y(start = 2, fixed = true);
equation
  x = y;
  der(x) = -x;
end M;
