model M
  Real x = if a then 1;
  Real y = if a then 1 elseif b then 2;
  Real z;
end M;
