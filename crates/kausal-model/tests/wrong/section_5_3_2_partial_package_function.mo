// expect: K0222
partial package P replaceable partial function f input Real u; output Real y; end f; end P;
model M Real x = P.f(1); end M;
