// expect: K0352
record R Real x; end R;
model M R r = R(z = 1); end M;
