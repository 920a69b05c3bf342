// expect: K0216 K0373
function f input Real a; input Integer n; output Real y; algorithm y := a; end f;
function g input Integer n; input Real a; output Real y; algorithm y := a; end g;
model C replaceable function h = f; Real x = h(1.5, 2); end C;
model M C c(redeclare function h = g); end M;
