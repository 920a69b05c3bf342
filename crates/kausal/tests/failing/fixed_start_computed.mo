// expect: K0510
// says: c
// The same where the variable is computed from parameters.
model M
  parameter Real V = 9;
  Real c(start = 1, fixed = true);
equation
  c = 2*V + 1;
end M;
