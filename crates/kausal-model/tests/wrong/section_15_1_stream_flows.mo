// expect: K0239
connector C Real p; flow Real m; flow Real n; stream Real h; end C;
model M C c; equation c.p = 1; c.h = 1; end M;
