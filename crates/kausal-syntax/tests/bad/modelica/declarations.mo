model M
  Real;
  Real x y;
  Real x, ;
  parameter x = 3;
  Real[3] = 1;
  .Real z;
  Real ok;
end M;
