// expect: K0336
connector C Real e; flow Real f; end C;
model M C c[2]; C d; equation connect(c[3], d); d.e = 1; c[1].e = 1; c[2].e = 2; end M;
