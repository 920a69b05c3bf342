model M
  Resistor r(R = 5));
  Real x = a + b);
equation
  y = f(x)));
  z = u[1]];
  w = 1};
end M;
