// expect: K0332
model M
  Real x = scalar({1, 2});
end M;
