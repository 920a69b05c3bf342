// expect: K0510
// says: 0.5 - log(x) < 0
// The same at the start.
model M
  Real x(start = -1, fixed = true);
  Boolean b = log(x) > 0.5;
equation
  der(x) = -2;
end M;
