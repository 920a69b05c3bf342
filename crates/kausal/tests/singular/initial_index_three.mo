// expect: K0414 K0420
// A pendulum with all four coordinates fixed: two are free.
model M
  Real x(start = 0.6, fixed = true), y(start = -0.9, fixed = true);
  Real vx(start = 0, fixed = true), vy(start = 1, fixed = true), f;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -f*x;
  der(vy) = -f*y - 9.81;
  x^2 + y^2 = 1;
end M;
