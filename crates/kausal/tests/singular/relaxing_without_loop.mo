// expect:
// options: relaxing
// Where there is no system of equations nothing is relaxed, and nothing is said.
model M
  Real x, y, z;
equation
  x = time;
  y = 2*relax(x);
  z = relax(x) + relax(y);
end M;
