// expect: K0510
// says: x
// The simple problem has a solution, the actual one has none.
model M
  Real x(start = 1);
equation
  0 = homotopy(exp(x) + x^2 + time, x - 1);
end M;
