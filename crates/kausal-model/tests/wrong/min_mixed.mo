// expect: K0351
model M
  Real x = min(true, 1);
end M;
