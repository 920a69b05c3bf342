// expect: K0356
model M "pre of a continuous variable outside when"
  Real x = time;
  Real y = pre(x);
end M;
