// expect: K0433
// options: tearing
// Two residue equations for one tearing variable.
model M
  constant Real c = 0;
  Real x, y, z;
equation
  x + 2*y + z = time + residue(x);
  x - y + 2*z = 1 + residue(c);
  3*x + y - z = 2;
end M;
