// expect: K0336
model M
  Real y[0];
  Real x = y[1];
end M;
