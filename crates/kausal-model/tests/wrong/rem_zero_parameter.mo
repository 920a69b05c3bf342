// expect: K0301
model M
  parameter Integer n = 0;
  Real x[rem(5, n)];
equation
  x = fill(1, size(x, 1));
end M;
