// expect: K0347
model M
  Real y = average(i for i in 1:3);
end M;
