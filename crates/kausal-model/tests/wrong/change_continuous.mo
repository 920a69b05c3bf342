// expect: K0356
model M
  Real x = sin(time);
  Boolean b = change(x);
end M;
