// expect: K0435
// options: tearing
// An expression is no variable to tear at.
model M
  Real a, b;
equation
  a + b = time + residue(a*b);
  a - 2*b = 1;
end M;
