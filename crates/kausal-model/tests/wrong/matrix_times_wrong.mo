// expect: K0332
model M
  Real A[2, 3] = ones(2, 3);
  Real y[2] = A * {1, 2};
end M;
