// expect: K0207
model M
  Real x[3] = {1, 2, 3};
  Real y = x(2);
end M;
