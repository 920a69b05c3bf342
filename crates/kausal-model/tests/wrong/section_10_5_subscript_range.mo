// expect: K0336
model M Real x[2] = {1, 2}; Real y = x[3]; end M;
