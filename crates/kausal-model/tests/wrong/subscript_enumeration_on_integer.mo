// expect: K0335
model M
  type E = enumeration(a, b);
  Real x[2] = {1, 2};
  Real y = x[E.a];
end M;
