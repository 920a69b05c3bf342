model M
  Real x = f(a = 1, 2);
  Real y = f(b := 1);
  Real z = f(a, , b);
  Real w = f(a, );
end M;
