model M
  Real x = ;
  Real y
  Real z;
equation
  x = (1 + 2;
  y == 3;
  z = 4 +;
end N;
