// expect: K0336
model M
  Real x[3] = {1, 2, 3};
  Real y = x[0];
end M;
