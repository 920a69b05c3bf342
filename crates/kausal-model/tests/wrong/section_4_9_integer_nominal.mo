// expect: K0213
model M Integer n(nominal = 2) = 1; end M;
