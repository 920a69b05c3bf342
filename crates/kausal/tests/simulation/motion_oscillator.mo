// Undamped, a hundred radians.
model M
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -x;
  annotation(experiment(StopTime = 100, Tolerance = 1e-10));
end M;
