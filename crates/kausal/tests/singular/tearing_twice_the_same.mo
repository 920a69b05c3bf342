// expect: K0435
// options: tearing
// Two residue equations of one loop name the same variable: one of them tears nothing.
model M
  Real a, b, c;
equation
  a + b + c = time + residue(a);
  a - 2*b = 1 + residue(a);
  a + 3*c - b = 2;
end M;
