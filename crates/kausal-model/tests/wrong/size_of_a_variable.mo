// expect: K0301
model M
  Integer n = 3;
  Real x[n] = ones(n);
end M;
