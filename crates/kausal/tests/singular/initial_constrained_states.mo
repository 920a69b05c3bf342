// expect: K0420
// Both positions of a rigid coupling are fixed.
model M
  Real a(start = 1, fixed = true), b(start = 3, fixed = true), f;
equation
  a = 2*b;
  der(a) = f;
  der(b) = -f - b;
end M;
