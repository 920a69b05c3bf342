// expect: K0202 K0202
model M
  Real x(start = 1);
equation
  dx/dt = -x;
end M;
