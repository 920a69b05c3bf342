// expect: K0332
model M Real A[2, 3] = ones(2, 3); Real B[2, 2] = ones(2, 2); Real C[2, 2] = A*B; end M;
