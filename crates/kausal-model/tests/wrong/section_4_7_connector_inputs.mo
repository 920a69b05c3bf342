// expect: K0250
connector C Real a; Real b; flow Real f; end C;
model A C c; equation c.a = 1; c.b = 2; end A;
model M A a; end M;
