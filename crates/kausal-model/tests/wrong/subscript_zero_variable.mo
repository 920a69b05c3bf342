// expect: K0336
model M
  Real y[3] = {1, 2, 3};
  parameter Integer i = 4;
  Real x = y[i];
end M;
