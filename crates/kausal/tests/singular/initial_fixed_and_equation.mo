// expect: K0420
// A fixed start value and an equation for the same.
model M
  Real x(start = 1, fixed = true);
initial equation
  der(x) = 0;
equation
  der(x) = 3 - x;
end M;
