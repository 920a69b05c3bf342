// expect: K0336
model M "an index out of bounds"
  Real x[3] = {1, 2, 3};
  Real y = x[4];
end M;
