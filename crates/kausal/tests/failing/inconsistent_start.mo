// expect: K0510
// says: v
// Constraint and fixed start have no common solution.
model M
  Real x(start = 3, fixed = true), y(start = 1), v;
equation
  x^2 + y^2 = 4;
  der(x) = v;
  v = -y;
end M;
