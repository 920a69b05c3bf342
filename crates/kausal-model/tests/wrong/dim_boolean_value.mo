// expect: K0312
model M
  Real x[true];
equation
  x = {1};
end M;
