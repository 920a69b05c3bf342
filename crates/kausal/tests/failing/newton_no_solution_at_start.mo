// expect: K0510
// says: y
// A parabola that does not meet the line.
model M
  Real x(start = 1), y;
equation
  y = x^2 + 1 + time;
  y = x;
end M;
