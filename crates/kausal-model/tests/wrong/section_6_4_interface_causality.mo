// expect: K0216
block A input Real u; output Real y = u; end A; block B output Real u = 1; output Real y = u; end B;
model C replaceable A a(u = 1); end C;
model M C c(redeclare B a); end M;
