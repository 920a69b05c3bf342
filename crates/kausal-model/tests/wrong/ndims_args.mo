// expect: K0351
model M
  Real x = ndims(1, 2);
end M;
