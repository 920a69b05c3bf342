// expect: K0218
model A protected parameter Real k = 1; end A;
model B A a; end B;
model M B b(a(k = 2)); end M;
