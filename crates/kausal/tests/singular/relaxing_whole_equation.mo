// expect: K0440
// options: relaxing
// Everything in the first equation is relaxed: it determines nothing.
model M
  Real x, y, z;
equation
  relax(x) + 2*relax(y) + relax(z) = time;
  x - y + 2*relax(z) = 1;
  3*x + y - z = 2;
end M;
