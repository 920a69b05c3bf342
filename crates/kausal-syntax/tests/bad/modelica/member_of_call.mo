model M
  Real x = f(a)[1];
  Real y = f(a).b;
  Real z = (a + b)[2];
end M;
