// expect: K0301
model A Real x = 1; end A;
model M A a if time > 1; end M;
