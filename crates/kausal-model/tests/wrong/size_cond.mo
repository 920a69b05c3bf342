// expect: K0316
model M
  parameter Integer n = 2;
  Real x[n, n](each start = 0) = fill(1.0, n);
end M;
