// expect: K0233
connector C Real e[2]; flow Real f[2]; end C; connector D Real e[3]; flow Real f[3]; end D;
model M C c; D d; equation connect(c, d); c.e = {1, 2}; end M;
