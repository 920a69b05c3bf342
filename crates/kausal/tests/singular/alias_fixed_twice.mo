// expect: K0410
// Two names of one variable, fixed at different values.
model M
  Real x(start = 1, fixed = true), y(start = 2, fixed = true);
equation
  x = y;
  der(x) = -x;
end M;
