// expect: K0317
model M Real x(fixed = 1); equation der(x) = 1; end M;
