// expect: K0240 K0402
// A speed nobody gives.
model M
  Real x(start = 0, fixed = true), v;
equation
  der(x) = v;
end M;
