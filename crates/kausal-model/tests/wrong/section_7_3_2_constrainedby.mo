// expect: K0216
model Base Real x; Real y; end Base; model A extends Base(x = 1, y = 1); end A; model B Real x = 1; end B;
model C replaceable A a constrainedby Base; end C;
model M C c(redeclare B a); end M;
