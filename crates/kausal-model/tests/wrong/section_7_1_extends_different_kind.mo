// expect: K0252
function f input Real u; output Real y; algorithm y := u; end f;
model M extends f; end M;
