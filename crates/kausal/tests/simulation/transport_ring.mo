// What leaves the second of two pipes enters the first again, mixed with something new.
model M
  Real x(start = 0, fixed = true);
  Real middle, mixed = 1 + 0.5*back, back;
  Real sum(start = 0, fixed = true);
equation
  der(x) = 1;
  der(sum) = mixed;
  (, middle) = spatialDistribution(mixed, 0, 2*x, true);
  (, back) = spatialDistribution(middle, 0, 2*x, true);
  annotation(experiment(StopTime = 3.25, Tolerance = 1e-6));
end M;
