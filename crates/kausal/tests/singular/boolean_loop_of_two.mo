// expect: K0403
// Each is computed from the other.
model M
  Boolean a, b;
equation
  a = not b;
  b = a;
end M;
