// expect: K0510
// says: c
// The same with a number in place of the parameter.
model M
  Real b, c(start = 1, fixed = true);
equation
  b = 9;
  c = -b;
end M;
