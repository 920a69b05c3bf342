// expect: K0405
// As many equations as unknowns, and two of them exclude each other.
model M
  Real a, b, c;
equation
  a + b = 10;
  a + b = 12;
  c = a;
end M;
