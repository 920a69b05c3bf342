model M
  Resistor r(R = 5;
  Real x = (a + b*(c - d);
  Real y;
equation
  connect(a, b;
  y = f(x, g(2);
  z = {1, 2, 3;
  u = x[1;
end M;
