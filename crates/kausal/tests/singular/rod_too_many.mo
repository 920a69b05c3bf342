// expect: K0401 K0402
// A pendulum on two rods: one more than it needs.
model M
  Real x(start = 1), y, vx, vy, f1, f2, f3;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -f1*x - f2*x - f3;
  der(vy) = -f1*y - f2*y - 9.81 - f3;
  x^2 + y^2 = 1;
  x + y = 1;
  x*y = 0.1;
end M;
