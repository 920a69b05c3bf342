// expect: K0392
impure function f output Real y; algorithm y := 1; end f;
model M Real x = f(); end M;
