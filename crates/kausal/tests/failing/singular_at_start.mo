// expect: K0532
// says: x
// Two equations that are one: how the sum divides is not determined, and stays as it was.
model M
  parameter Real a = 2;
  Real x, y;
equation
  x + y = time;
  a*x + 2*y = 2*time;
end M;
