// expect: K0216
model A Real x = 1; end A; model B Integer x = 1; end B;
model C replaceable A a; end C;
model M C c(redeclare B a); end M;
