// expect: K0318
model A Real x = 1; end A;
model M parameter Boolean b = false; A a if b; Real y = a.x + 1; end M;
