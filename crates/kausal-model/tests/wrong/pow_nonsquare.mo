// expect: K0332
model M
  Real x[2, 3] = [1, 2, 3; 4, 5, 6] ^ 2;
end M;
