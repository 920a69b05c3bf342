// expect: K0324 K0356
model M
  Real x = sin(time);
  Boolean b = edge(noEvent(x > 0));
end M;
