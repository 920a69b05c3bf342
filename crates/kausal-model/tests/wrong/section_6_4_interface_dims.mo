// expect: K0216
model A Real x[2] = {1, 2}; end A; model B Real x = 1; end B;
model C replaceable A a; end C;
model M C c(redeclare B a); end M;
