// expect: K0375 K0382
function f input Real u; output Real y; algorithm y := u; algorithm y := 2*u; end f;
model M Real x = f(1); end M;
