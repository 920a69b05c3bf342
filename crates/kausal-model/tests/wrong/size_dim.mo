// expect: K0350
model M
  Real y[2] = {1, 2};
  Real x = size(y, 2);
end M;
