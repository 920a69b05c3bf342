// expect: K0218
model A protected parameter Real k = 1; end A;
model B extends A; end B;
model M B b(k = 2); end M;
