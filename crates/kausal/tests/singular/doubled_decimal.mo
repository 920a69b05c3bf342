// expect: K0404
// Proportional but for the rounding of decimal numbers.
model M
  Real x, y;
equation
  0.1*x + 0.3*y = 0.7;
  0.3*x + 0.9*y = 2.1;
end M;
