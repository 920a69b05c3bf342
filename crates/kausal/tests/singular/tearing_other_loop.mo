// expect: K0435
// options: tearing
// The residue equation of one loop names a variable of another.
model M
  Real a, b, c, d;
equation
  a + b = time + residue(c);
  a - 2*b = 1;
  c + d = 2*time;
  c - 3*d = 1;
end M;
