// expect: K0207
model M
  Real y = 1;
  Real x = y(1);
end M;
