// expect: K0239
connector C flow stream Real x; end C;
model M C c; end M;
