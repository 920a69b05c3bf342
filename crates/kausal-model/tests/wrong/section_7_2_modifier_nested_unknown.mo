// expect: K0213
model A Real x = 1; end A; model B A a; end B;
model M B b(a(y = 1)); end M;
