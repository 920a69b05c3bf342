// Kepler's equation.
model M
  parameter Real e = 0.9;
  Real E;
equation
  E - e*sin(E) = time;
  annotation(experiment(StopTime = 6, Tolerance = 1e-8));
end M;
