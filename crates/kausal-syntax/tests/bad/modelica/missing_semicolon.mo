model M
  Real x
  Real y = 1
  parameter Real k "gain";
equation
  der(x) = -k*x
  y = x;
  connect(a, b)
  connect(b, c);
end M;
