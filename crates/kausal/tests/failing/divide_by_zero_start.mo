// expect: K0510
// says: y
// Zero by zero at the start.
model M
  Real x(start = 0, fixed = true), y;
equation
  der(x) = y;
  y = sin(x)/x;
end M;
