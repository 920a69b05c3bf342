// expect: K0334
model M "more subscripts than dimensions"
  Real x[3] = {1, 2, 3};
  Real y = x[1, 2];
end M;
