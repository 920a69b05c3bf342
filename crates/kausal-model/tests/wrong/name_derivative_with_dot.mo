// expect: K0202
model M
  Real x(start = 1);
equation
  xdot = -x;
end M;
