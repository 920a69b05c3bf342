// expect: K0246
model A model B Real x = 1; end B; B b; end A;
model M A a(B = 2); end M;
