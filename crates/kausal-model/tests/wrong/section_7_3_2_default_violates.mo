// expect: K0216
model Base Real x; end Base; model A Real y = 1; end A;
model C replaceable A a constrainedby Base; end C;
model M C c; end M;
