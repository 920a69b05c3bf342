// The same in full turns: no coordinate can be the state all the time.
model M
  parameter Real g = 9.81, l = 1;
  Real x(start = 0, fixed = true), y(start = -1), vx(start = 7, fixed = true), vy, force;
  Real energy = 0.5*(vx^2 + vy^2) + g*y;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -force*x;
  der(vy) = -force*y - g;
  x^2 + y^2 = l^2;
  annotation(experiment(StopTime = 100, Tolerance = 1e-9));
end M;
