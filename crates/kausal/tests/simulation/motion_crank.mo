// The end of a slider crank that turns uniformly: position given, force found (index 3).
model M
  parameter Real r = 1, l = 3, m = 2;
  Real phi = time;
  Real s(start = 4), v, a, rod;
equation
  (s - r*cos(phi))^2 + (r*sin(phi))^2 = l^2;
  v = der(s);
  a = der(v);
  m*a = rod;
  annotation(experiment(StopTime = 7, Tolerance = 1e-9));
end M;
