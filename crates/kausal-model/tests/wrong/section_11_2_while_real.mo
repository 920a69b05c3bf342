// expect: K0342 K0375
function f input Real u; output Real y; algorithm y := u; while y loop y := y - 1; end while; end f;
model M Real x = f(1); end M;
