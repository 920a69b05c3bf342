// expect: K0356
model M
  Real x = sin(time);
  Real y = pre(x + 1);
end M;
