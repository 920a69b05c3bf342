// expect: K0218
connector C Real v; flow Real i; end C;
model A protected C c; end A;
model M A a; C d; equation connect(a.c, d); d.v = 0; end M;
