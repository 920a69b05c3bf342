// expect: K0250
connector C Real e; flow Real f; flow Real g; end C;
model M C c; equation c.e = 1; end M;
