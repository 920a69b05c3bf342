// expect: K0335
model M
  Real x[2] = {1, 2};
  Real y = x[true];
end M;
