// expect: K0393
model M discrete Real k(start = 0, fixed = true); equation when sample(0, 0.1) then k = 2*k; end when; end M;
