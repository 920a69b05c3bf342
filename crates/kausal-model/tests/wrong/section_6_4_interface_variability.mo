// expect: K0216
model A parameter Real x = 1; end A; model B Real x = time; end B;
model C replaceable A a; Real y = a.x; end C;
model M C c(redeclare B a); end M;
