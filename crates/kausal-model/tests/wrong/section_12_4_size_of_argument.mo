// expect: K0376
function f input Real a[2]; output Real y; algorithm y := a[1]; end f;
model M Real x = f({1, 2, 3}); end M;
