// What is delayed and delayed again, of a signal that moves much in a step and has a kink at the start.
model M
  Real x(start = 0, fixed = true);
  Real u = sin(20*time), y = delay(u, 0.1), z = delay(y, 0.05);
equation
  der(x) = 0.001 - 0.01*x;
  annotation(experiment(StopTime = 5, Tolerance = 1e-8));
end M;
