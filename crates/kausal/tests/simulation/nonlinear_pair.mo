// A circle and a hyperbola meet.
model M
  Real x(start = 2), y(start = 0.5);
equation
  x^2 + y^2 = 4 + time;
  x*y = 1;
end M;
