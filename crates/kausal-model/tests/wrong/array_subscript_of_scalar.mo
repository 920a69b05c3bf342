// expect: K0334
model M "a scalar has no elements"
  Real x = 1;
  Real y = x[1];
end M;
