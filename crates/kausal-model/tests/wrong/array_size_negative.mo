// expect: K0312
model M "a negative size"
  parameter Integer n = 2;
  Real x[n - 3];
end M;
