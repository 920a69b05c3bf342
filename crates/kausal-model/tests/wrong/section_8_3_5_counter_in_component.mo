// expect: K0393
model A Integer k(start = 0, fixed = true); equation when sample(0, 0.1) then k = 1 - k; end when; end A;
model M A a; end M;
