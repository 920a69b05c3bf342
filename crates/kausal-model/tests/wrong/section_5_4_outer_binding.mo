// expect: K0248
model A outer Real x = 1; end A;
model M inner Real x = 2; A a; end M;
