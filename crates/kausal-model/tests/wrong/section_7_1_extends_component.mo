// expect: K0203
model A Real x = 1; end A;
model M A a; extends a; end M;
