// expect: K0401 K0402
// Too many equations for x and y, and one for both u and v.
model M
  Real x, y, u, v;
equation
  x + y = 1;
  x - y = 2;
  x*y = time;
  u + v + x = 3;
end M;
