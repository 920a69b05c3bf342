// expect: K0351
model M
  Real x = mod(1, 2, 3);
end M;
