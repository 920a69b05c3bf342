// expect: K0350
model M
  Real y = 1;
  Real x = size(y, 1);
end M;
