// expect: K0332
model M
  Real x[2] = transpose({1, 2});
end M;
