// expect: K0332
model M
  Real y[3] = 1:0:3;
end M;
