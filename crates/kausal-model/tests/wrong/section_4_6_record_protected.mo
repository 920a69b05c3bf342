// expect: K0240
record R Real x; protected Real y; end R;
model M R r(x = 1); end M;
