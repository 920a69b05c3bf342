// expect: K0401 K0402
// Three say what two would: the third is shown as it is written.
model M
  Real a, b, c, d;
equation
  a = b;
  b = c;
  c = a;
  d = time;
end M;
