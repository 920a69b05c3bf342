// expect: K0510
// says: x
// A steady state that does not exist.
model M
  Real x(start = 1);
initial equation
  der(x) = 0;
equation
  der(x) = x^2 + 1;
end M;
