// expect: K0252
model A Real x; end A;
record R extends A; end R;
model M R r(x = 1); end M;
