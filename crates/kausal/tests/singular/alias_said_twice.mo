// expect: K0401 K0402
// The same connection twice, and nothing that determines the second variable.
model M
  Real a, b, c;
equation
  a = b;
  b = a;
  c = time;
end M;
