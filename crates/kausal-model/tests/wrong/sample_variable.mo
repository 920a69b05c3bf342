// expect: K0351
model M
  Real u = time;
  Boolean b = sample(0, u);
end M;
