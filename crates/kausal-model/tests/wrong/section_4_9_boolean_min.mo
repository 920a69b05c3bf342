// expect: K0213
model M Boolean b(min = false) = true; end M;
