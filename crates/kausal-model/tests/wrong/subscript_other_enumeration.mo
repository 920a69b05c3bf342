// expect: K0335
model M
  type E = enumeration(a, b);
  type F = enumeration(c, d);
  Real x[E] = {1, 2};
  Real y = x[F.c];
end M;
