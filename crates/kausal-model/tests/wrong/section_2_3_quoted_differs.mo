// expect: K0202
model M Real 'x' = 1; Real y = x; end M;
