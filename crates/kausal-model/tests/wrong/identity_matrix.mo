// expect: K0351
model M
  Real x[2, 2] = identity({2});
end M;
