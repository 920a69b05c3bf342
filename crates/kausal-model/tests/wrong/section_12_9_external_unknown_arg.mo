// expect: K0202 K0375
function f input Real u; output Real y; external "C" y = g(v); end f;
model M Real x = f(1); end M;
