// expect: K0351
model M
  Real x = fill(1);
end M;
