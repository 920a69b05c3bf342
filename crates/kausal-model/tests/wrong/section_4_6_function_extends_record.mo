// expect: K0252 K0388
record R Real x; end R;
function f extends R; output Real y; algorithm y := 1; end f;
model M Real x = f(); end M;
