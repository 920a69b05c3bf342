// expect: K0340
model M "arrays of different sizes cannot be added"
  Real x[2] = {1, 2};
  Real y[3] = {1, 2, 3};
  Real z[3] = x + y;
end M;
