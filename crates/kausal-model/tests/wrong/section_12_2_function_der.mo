// expect: K0375 K0382
function f input Real u; output Real y; algorithm y := der(u); end f;
model M Real x = f(time); end M;
