// expect: K0432
// options: tearing
// Two tearing variables, one residue equation: the other one is chosen.
model M
  Real x, y, z, a, b;
equation
  x + 2*y + a = time + residue(x);
  a = residue(y)*1;
  x - y + b = 1;
  z + x*3 = b;
  2*z - y = 4;
end M;
