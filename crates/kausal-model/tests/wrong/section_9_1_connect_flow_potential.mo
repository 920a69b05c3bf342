// expect: K0233
connector C Real e; flow Real f; end C; connector D flow Real e; Real f; end D;
model M C c; D d; equation connect(c, d); c.e = 1; end M;
