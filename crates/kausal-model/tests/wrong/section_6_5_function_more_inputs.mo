// expect: K0216 K0372
function f input Real a; output Real y; algorithm y := a; end f;
function g input Real a; input Real b; output Real y; algorithm y := a; end g;
model C replaceable function h = f; Real x = h(1.5); end C;
model M C c(redeclare function h = g); end M;
