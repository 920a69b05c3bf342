// expect: K0315
// Two parameters that need each other.
model M
  parameter Real a = 2*b, b = a + 1;
  Real x = a*time;
end M;
