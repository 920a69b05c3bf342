// expect: K0532
// says: x
// The second equation is 0.3 times the first but for the rounding of a sum: nobody meant the digits that are left.
model M
  parameter Real a = 0.1, b = 0.2;
  Real x, y;
equation
  x + y = time;
  (a + b)*x + 0.3*y = 0.3*time;
end M;
