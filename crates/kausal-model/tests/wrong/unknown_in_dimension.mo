// expect: K0202
model M
  Real x[nn];
equation
  x = 1;
end M;
