// expect: K0375 K0378
function f input Real u; output Real y; algorithm u := 1; y := u; end f;
model M Real x = f(1); end M;
