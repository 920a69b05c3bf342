// A pendulum in Cartesian coordinates with the rod as a constraint (index 3); it stays below the pivot.
model M
  parameter Real g = 1, l = 1;
  Real x(start = sin(1.0), fixed = true, stateSelect = StateSelect.always);
  Real vx(start = 0, fixed = true, stateSelect = StateSelect.always);
  Real y(start = -cos(1.0)), vy, force;
  Real energy = 0.5*(vx^2 + vy^2) + g*y;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -force*x;
  der(vy) = -force*y - g;
  x^2 + y^2 = l^2;
  annotation(experiment(StopTime = 30, Tolerance = 1e-9));
end M;
