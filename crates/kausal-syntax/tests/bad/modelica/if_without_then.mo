model M
  Real x = if a 1 else 2;
  Real y = if a > b, 1, 2;
  Real z;
end M;
