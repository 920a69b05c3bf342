// expect: K0356
model M
  Real x = sin(time);
  Real y;
algorithm
  y := pre(x);
end M;
