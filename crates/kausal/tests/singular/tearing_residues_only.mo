// expect: K0433
// options: tearing
// A residue equation and nothing that is torn.
model M
  constant Real c = 0;
  Real x, y, z;
equation
  x + 2*y + z = time + residue(c);
  x - y + 2*z = 1;
  3*x + y - z = 2;
end M;
