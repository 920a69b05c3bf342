// expect: K0410
// One is the negative of the other; the fixed start values are not.
model M
  Real x(start = 1, fixed = true), y(start = 1, fixed = true);
equation
  y = -x;
  der(x) = -x;
end M;
