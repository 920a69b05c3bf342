// expect: K0332
model M
  Real y[2, 3] = symmetric(ones(2, 3));
end M;
