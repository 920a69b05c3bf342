// expect: K0312
model M
  Real x[2.5];
equation
  x = {1, 2};
end M;
