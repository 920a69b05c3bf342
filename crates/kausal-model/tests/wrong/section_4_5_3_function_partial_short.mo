// expect: K0375 K0383
partial function f input Real u; output Real y; end f;
function g = f;
model M Real x = g(1); end M;
