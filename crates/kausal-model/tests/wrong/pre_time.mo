// expect: K0356
model M
  Real y = pre(time);
end M;
