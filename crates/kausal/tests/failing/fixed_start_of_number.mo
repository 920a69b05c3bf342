// expect: K0510
// says: c
// A start value is fixed where an equation says what the variable is.
model M
  parameter Real V = 9;
  Real b, c(start = 1, fixed = true);
equation
  b = V;
  c = b;
end M;
