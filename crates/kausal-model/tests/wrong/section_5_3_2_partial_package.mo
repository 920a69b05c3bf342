// expect: K0320
partial package P replaceable function f input Real u; output Real y; end f; constant Real c; end P;
model M Real x = P.c; end M;
