// Conditions that cannot be computed in branches that are not taken decide nothing.
model M
  Real x(start = 1, fixed = true), y = if x > 0 then (if sqrt(x) > 0.5 then 1 else 2) else 0, z = if x > 0 then floor(4*sqrt(x)) else -1;
  Boolean b = x > 0 and sqrt(x) > 0.5;
equation
  der(x) = -8*cos(4*time);
  annotation(experiment(StopTime = 3, Tolerance = 1e-8));
end M;
