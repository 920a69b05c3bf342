// expect: K0401 K0402
// As many equations as unknowns, but three are about two and one is missing for the rest.
model M
  Real a, b, c, d;
equation
  a + b = 1;
  a - b = time;
  a*b = 3;
  c + d = a;
end M;
