// expect: K0404
// The unknown cancels: nothing says what it is.
model M
  Real x, y;
equation
  y = x + time;
  x - y + time = 0*x;
end M;
