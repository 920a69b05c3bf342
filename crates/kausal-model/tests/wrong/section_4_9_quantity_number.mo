// expect: K0317
model M Real x(quantity = 1) = 1; end M;
