// expect: K0335
model M
  Real x[Boolean] = {1, 2};
  Real y = x[1];
end M;
