// expect: K0336
model M "indices begin with 1"
  Real x[3] = {1, 2, 3};
  Real y = x[0];
end M;
