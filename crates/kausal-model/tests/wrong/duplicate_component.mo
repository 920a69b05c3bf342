// expect: K0212
model M "declared twice"
  Real x = 1;
  Real y = 2;
  Real x = 3;
end M;
