// Driven at its own frequency: the amplitude grows with time.
model M
  Real x(start = 0, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = cos(time) - x;
  annotation(experiment(StopTime = 30, Tolerance = 1e-9));
end M;
