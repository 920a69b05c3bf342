// expect: K0340
model M "an array plus a scalar needs the dot operator"
  Real x[2] = {1, 2};
  Real y[2] = x + 1;
end M;
