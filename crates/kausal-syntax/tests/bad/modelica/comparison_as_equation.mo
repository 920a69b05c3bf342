model M
  Real x, y;
equation
  x == 2*y;
  y = 1;
end M;
