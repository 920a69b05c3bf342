// expect: K0430
// options: tearing
// Two nonlinear loops that hang together; one of them is torn.
model M
  Real x, y, z, w;
equation
  x + y^3 + z = time;
  x*y - y = 1 + residue(x);
  z + w^3 + x = 2;
  z*w - w = x;
end M;
