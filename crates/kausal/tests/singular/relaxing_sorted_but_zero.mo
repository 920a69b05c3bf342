// expect: K0441
// options: relaxing
// The relaxed order takes a coefficient that is not there any more.
model M
  Real x, y, z;
equation
  x + 2*relax(y) = time;
  x + 2*y + relax(z) = 1;
  y + z = 2 + x;
end M;
