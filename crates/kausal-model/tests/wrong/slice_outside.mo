// expect: K0336
model M
  Real y[3] = {1, 2, 3};
  Real x[4] = y[1:4];
end M;
