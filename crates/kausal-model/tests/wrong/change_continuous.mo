// expect: K0356
model M
  Real x = time;
  Boolean b = change(x);
end M;
