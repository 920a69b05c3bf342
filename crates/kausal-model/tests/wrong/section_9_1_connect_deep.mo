// expect: K0244
connector C Real e; flow Real f; end C; connector D C c; end D; model A D d; end A; model B A a; end B;
model M B b; C c; equation connect(b.a.d.c, c); c.e = 1; end M;
