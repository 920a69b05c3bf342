// expect: K0313
model A outer Real x; Real y = x; end A;
model M inner Real x[2] = {1, 2}; A a; end M;
