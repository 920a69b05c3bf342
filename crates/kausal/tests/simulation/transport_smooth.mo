// A pipe with a flow of varying speed: first the initial distribution leaves, then what entered, a length later.
model M
  Real x(start = 0, fixed = true);
  Real out0, out1;
  Real deviation = out1 - noEvent(if x < 1 then 2*(1 - x) else sin(3*(x - 1)));
  Real same = out0 - sin(3*x);
equation
  der(x) = 2 + cos(time);
  (out0, out1) = spatialDistribution(sin(3*x), 0, x, true, {0.0, 1.0}, {0.0, 2.0});
  annotation(experiment(StopTime = 2, Tolerance = 1e-8));
end M;
