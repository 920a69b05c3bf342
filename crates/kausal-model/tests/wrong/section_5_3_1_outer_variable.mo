// expect: K0249
model M Real k = 1; model A Real x = k; end A; A a; end M;
