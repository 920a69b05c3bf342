// expect: K0332
model M
  Real y = promote({1, 2}, 0);
end M;
