// Mass, spring and damper.
model M
  parameter Real m = 2, c = 18, d = 4;
  Real x(start = 1, fixed = true), v(start = 0, fixed = true), f;
equation
  v = der(x);
  m*der(v) = f;
  f = -c*x - d*v;
  annotation(experiment(StopTime = 5, Tolerance = 1e-8));
end M;
