// expect: K0441
// options: relaxing
// The coefficient of y is zero now and then.
model M
  Real p, x, y, z;
equation
  p = 2*sin(time);
  x + relax(y) = time;
  x + p*y + relax(z) = 1;
  y + z + x = 2;
end M;
