// expect: K0301
model M "a size that needs a parameter without a value"
  parameter Integer n;
  Real x[n] = zeros(n);
end M;
