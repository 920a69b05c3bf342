// expect: K0351
model M
  Real x = sum(time);
end M;
