// expect: K0253
connector C Real e; flow Real f; end C;
block B C c; equation c.e = 1; end B;
model M B b; end M;
