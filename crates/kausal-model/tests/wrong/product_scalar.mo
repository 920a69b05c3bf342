// expect: K0351
model M
  Real x = product(time);
end M;
