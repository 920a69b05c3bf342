// expect: K0440
// options: relaxing
// Both equations are left with x.
model M
  Real x, y, z;
equation
  x + relax(y) = time;
  x - relax(y) + relax(z) = 1;
  x + y + z = 2;
end M;
