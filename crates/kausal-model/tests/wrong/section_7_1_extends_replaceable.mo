// expect: K0255
model A replaceable model B Real x = 1; end B; extends B; end A;
model M A a; end M;
