// expect: K0532
// says: a, b
// The sine of a sum, once written out.
model M
  Real a(start = 0.2), b(start = 0.3);
equation
  sin(a)*cos(b) + cos(a)*sin(b) = 0.1*time;
  sin(a + b) = 0.1*time;
end M;
