// expect: K0401 K0402
// The speed is in two equations, its derivative in none that is left.
model M
  Real x(start = 0), y;
equation
  der(x) - der(x) = y;
  y = sin(time);
end M;
