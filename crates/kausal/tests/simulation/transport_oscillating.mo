// A flow whose position is computed and not a state, and that turns: what entered comes back.
model M
  Real x = 1.7*sin(time), out0, out1;
equation
  (out0, out1) = spatialDistribution(2 + sin(3*time), -2 + cos(2*time), x, cos(time) >= 0, {0.0, 0.25, 1.0}, {1.0, 2.0, 0.0});
  annotation(experiment(StopTime = 2.5, Tolerance = 1e-6));
end M;
