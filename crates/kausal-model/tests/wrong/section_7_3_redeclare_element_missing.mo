// expect: K0213
model A Real x = 1; end A;
model M extends A; redeclare Real y = 2; end M;
