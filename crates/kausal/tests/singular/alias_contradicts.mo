// expect: K0405
// Equal, and apart by one.
model M
  Real a, b;
equation
  a = b;
  a = b + 1;
end M;
