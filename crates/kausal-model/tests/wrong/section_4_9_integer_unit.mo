// expect: K0213
model M Integer n(unit = "m") = 1; end M;
