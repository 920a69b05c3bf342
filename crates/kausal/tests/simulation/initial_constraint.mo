// The start of a constrained pendulum from its angle.
model M
  Real x(start = 0.5), y(start = -0.5), vx, vy, force;
  Real phi = atan2(x, -y);
initial equation
  phi = 0.6;
  vx = 0;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -force*x;
  der(vy) = -force*y - 1;
  x^2 + y^2 = 4;
  annotation(experiment(StopTime = 0.01, Tolerance = 1e-9));
end M;
