// expect: K0404
// Also what is not linear may be said twice.
model M
  parameter Real a = 2;
  Real x, y;
equation
  sin(x) + a*y = 1;
  2*a*y - 2 = -2*sin(x);
end M;
