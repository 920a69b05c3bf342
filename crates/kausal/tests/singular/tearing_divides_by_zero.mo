// expect: K0431
// options: tearing
// The declared tearing would divide by p, which changes its sign.
model M
  Real p, x, y, z;
equation
  p = sin(time);
  x + y + z = 1;
  p*y + x = 2;
  p*z + 2*y = 3 + residue(x);
end M;
