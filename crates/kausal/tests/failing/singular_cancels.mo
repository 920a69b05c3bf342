// expect: K0530
// says: x
// The unknown cancels: nothing says what it is, and it stays where it is.
model M
  Real x, y;
equation
  y = x + time;
  x - y + time = 0*x;
end M;
