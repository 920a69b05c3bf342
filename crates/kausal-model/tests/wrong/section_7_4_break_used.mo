// expect: K0202
model A Real x = 1; Real y = x; end A;
model M extends A(break x); end M;
