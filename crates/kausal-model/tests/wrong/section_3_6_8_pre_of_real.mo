// expect: K0356
model M Real x = time; Real y = pre(x); end M;
