// expect: K0251
connector C Real e; flow Real f; equation e = 1; end C;
model M C c; end M;
