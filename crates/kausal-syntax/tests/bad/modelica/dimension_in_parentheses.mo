model M
  Real x(3);
  Real y[3];
algorithm
  y(1) := 2;
  x(2) = 3;
end M;
