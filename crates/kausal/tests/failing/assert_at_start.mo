// expect: K0510
// says: the mass must be positive
// A parameter outside its range.
model M
  parameter Real m = -1;
  Real x(start = 0, fixed = true);
equation
  assert(m > 0, "the mass must be positive");
  der(x) = 1/m;
end M;
