// expect: K0351
model M Real y = semiLinear(time, 1); end M;
