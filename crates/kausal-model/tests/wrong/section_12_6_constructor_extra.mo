// expect: K0352
record R Real x; end R;
model M R r = R(1, 2); end M;
