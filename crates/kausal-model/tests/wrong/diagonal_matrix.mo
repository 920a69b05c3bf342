// expect: K0332
model M
  Real y[2, 2] = diagonal(ones(2, 2));
end M;
