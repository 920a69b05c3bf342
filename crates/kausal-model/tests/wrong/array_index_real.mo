// expect: K0335
model M "an index must be an Integer"
  Real x[3] = {1, 2, 3};
  Real y = x[1.5];
end M;
