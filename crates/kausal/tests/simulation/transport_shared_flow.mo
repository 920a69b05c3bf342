// Two pipes in a row whose flow changes direction: each passes on what the other gives.
model M
  Real x(start = 0, fixed = true);
  Real v = cos(time);
  Real a0, a1, b0, b1;
  Real whole0, whole1;
  Real deviation0 = a0 - whole0, deviation1 = b1 - whole1;
equation
  der(x) = v;
  (a0, a1) = spatialDistribution(1 + sin(4*time), b0, 2*x, v >= 0);
  (b0, b1) = spatialDistribution(a1, 3 - sin(time), 2*x, v >= 0);
  (whole0, whole1) = spatialDistribution(1 + sin(4*time), 3 - sin(time), x, v >= 0);
  annotation(experiment(StopTime = 6, Tolerance = 1e-7));
end M;
