model M
  Real x[3) = {1, 2, 3];
  Real y = f(1, 2];
equation
  x[1) = 3;
end M;
