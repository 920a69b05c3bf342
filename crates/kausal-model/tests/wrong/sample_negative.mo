// expect: K0351
model M
  Boolean b = sample(0, -1);
end M;
