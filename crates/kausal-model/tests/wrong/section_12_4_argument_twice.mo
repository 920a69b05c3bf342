// expect: K0371
function f input Real a; input Real b; output Real y; algorithm y := a; end f;
model M Real x = f(1, 2, a = 3); end M;
