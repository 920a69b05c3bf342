// expect: K0312
model M parameter Integer n = -1; Real x[n]; end M;
