// expect: K0317
model M
  parameter Integer n = 2.0;
  Real x = n;
end M;
