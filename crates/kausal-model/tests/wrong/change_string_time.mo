// expect: K0356
model M
  Boolean b = change(time);
end M;
