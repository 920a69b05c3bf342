// expect: K0313
model M
  Real x[4] = cat(2, {1, 2}, {3, 4});
end M;
