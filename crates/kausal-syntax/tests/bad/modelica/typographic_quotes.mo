model M
  Real x “position”;
  Real y = a − b;
  Real z = 2 × y;
  Boolean b = x ≤ y;
end M;
