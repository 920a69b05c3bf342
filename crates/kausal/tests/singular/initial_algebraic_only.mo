// expect: K0420
// No state at all, and an initial equation.
model M
  Real x;
initial equation
  x = 1;
equation
  x^3 + x = 10;
end M;
