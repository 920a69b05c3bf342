// expect: K0388
function f input Real u; output Real y; Real z; algorithm z := u; y := z; end f;
model M Real x = f(1); end M;
