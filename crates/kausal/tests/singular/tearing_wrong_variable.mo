// expect: K0430
// options: tearing
// Two loops in series are one system; the variable that is torn is at the end of it and opens neither.
model M
  Real a, b, c, d, e;
equation
  a + 2*b = time + c;
  a - b = 1 + 2*c;
  c + 2*d = a;
  c - d = 3 + e;
  e = a + d + residue(e);
end M;
