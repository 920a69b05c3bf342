// expect: K0372
function f protected input Real u; public output Real y; algorithm y := 1; end f;
model M Real x = f(); end M;
