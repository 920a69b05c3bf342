// expect: K0414 K0414 K0510
// says: it starts with x = 1, vx = 1
// A pendulum at the end of its rod cannot move along it.
model M
  Real x(start = 1, fixed = true), y(start = 0), vx(start = 1, fixed = true), vy(start = 0), F;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -F*x;
  der(vy) = -F*y - 9.81;
  x^2 + y^2 = 1;
end M;
