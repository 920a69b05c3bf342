// expect: K0253
model A Real x = 1; end A;
record R A a; end R;
model M R r; end M;
