// expect: K0312 K0312
model M
  parameter Integer n = -2;
  Real x[n];
equation
  x = zeros(n);
end M;
