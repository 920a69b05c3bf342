// expect: K0363
model M
  Real y[3];
equation
  y[1:2] = {1, 2, 3};
  y[3] = 1;
end M;
