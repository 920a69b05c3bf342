// expect: K0217
partial model P Real x; end P;
model M P p; end M;
