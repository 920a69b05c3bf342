// expect: K0332
model M
  Real y[3, 3] = skew({1, 2});
end M;
