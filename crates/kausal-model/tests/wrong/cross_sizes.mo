// expect: K0332
model M
  Real x[2] = cross({1, 2}, {3, 4});
end M;
