// expect: K0250
connector C Real e; flow parameter Real f = 1; end C;
model M C c; equation c.e = 1; end M;
