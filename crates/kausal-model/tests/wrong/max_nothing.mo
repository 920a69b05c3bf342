// expect: K0351
model M
  Real x = max();
end M;
