// expect: K0335
model M
  type E = enumeration(a, b);
  Real x[E] = {1, 2};
  Real y = x[1];
end M;
