// expect: K0250
connector C Real e; output flow Real f; end C;
model M C c; equation c.e = 1; end M;
