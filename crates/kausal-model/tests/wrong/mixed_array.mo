// expect: K0331
model M
  Real y[2] = {1, "a"};
end M;
