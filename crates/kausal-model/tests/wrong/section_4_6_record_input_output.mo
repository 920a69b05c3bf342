// expect: K0240
record R input Real x; end R;
model M R r; equation r.x = 1; end M;
