// expect: K0373
record R Real x; end R; record S Real y; end S;
function f input R r; output Real y; algorithm y := r.x; end f;
model M Real x = f(S(1)); end M;
