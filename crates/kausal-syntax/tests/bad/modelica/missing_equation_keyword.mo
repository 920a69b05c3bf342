model M
  Real x, y;
  der(x) = -x;
  y = 2*x;
  connect(a, b);
end M;
