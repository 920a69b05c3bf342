// expect: K0245
connector C Real e; flow Real f; end C;
model M C c; Real x; equation connect(c, c); x = 1; c.e = 1; end M;
