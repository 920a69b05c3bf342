model M
  Real 'x y;
  Real z;
equation
  z = 1;
end M;
