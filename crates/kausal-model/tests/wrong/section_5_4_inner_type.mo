// expect: K0228
model A outer Real x; Real y = x; end A;
model M inner Integer x = 1; A a; end M;
