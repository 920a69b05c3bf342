// expect: K0236
connector C Real e; flow Real f; end C;
model M C a, b; equation Connections.branch(a, b); a.e = 1; b.e = 1; end M;
