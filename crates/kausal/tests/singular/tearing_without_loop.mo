// expect:
// options: tearing
// Where there is no system of equations a hint means nothing, and nothing is said.
model M
  Real x, y, z;
equation
  x = time + residue(y);
  y = 2*x + residue(x);
  z = x + y + residue(z);
end M;
