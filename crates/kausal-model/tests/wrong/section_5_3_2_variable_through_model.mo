// expect: K0249
model A Real x = 1; end A;
model M Real y = A.x; end M;
