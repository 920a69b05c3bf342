// expect: K0336
model M
  Real y[2] = {1, 2};
  Real x = y[end + 1];
end M;
