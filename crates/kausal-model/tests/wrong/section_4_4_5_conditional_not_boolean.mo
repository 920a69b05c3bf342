// expect: K0303
model A Real x = 1; end A;
model M parameter Integer n = 1; A a if n; end M;
