// expect: K0375 K0385
function f input Real u; output Real y; equation y = u; end f;
model M Real x = f(1); end M;
