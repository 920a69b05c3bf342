// A pendulum that turns over, among parameters it does not know.
model M
  parameter Real a1 = 1, a2 = 1, a3 = 1, a4 = 1, a5 = 1, a6 = 1, a7 = 1;
  Real x(start = 1, fixed = true), y(start = 0), vx(start = 0), vy(start = -7.5, fixed = true);
  Real force, energy = 0.5*(vx^2 + vy^2) + 10*y;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -force*x;
  der(vy) = -force*y - 10;
  x^2 + y^2 = 1;
  annotation(experiment(StopTime = 10, Tolerance = 1e-9));
end M;
