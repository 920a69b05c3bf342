// expect: K0216 K0360
function f input Real a; output Real y; output Real z; algorithm y := a; z := a; end f;
function g input Real a; output Real y; algorithm y := a; end g;
model C replaceable function h = f; Real x; Real w; equation (x, w) = h(1.5); end C;
model M C c(redeclare function h = g); end M;
