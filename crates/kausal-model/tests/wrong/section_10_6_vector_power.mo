// expect: K0332
model M Real x[2] = {1, 2}^2; end M;
