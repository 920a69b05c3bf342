// Jumps that enter, turn round inside and leave at either end.
model M
  Real v = if time < 0.6 then 1 elseif time < 1.4 then -1 else 1;
  Real x(start = 3, fixed = true);
  Real out0, out1;
  Real sum0(start = 0, fixed = true), sum1(start = 0, fixed = true);
equation
  der(x) = v;
  (out0, out1) = spatialDistribution(5, 7, x, v >= 0, initialValues = {1, 1});
  der(sum0) = out0;
  der(sum1) = out1;
  annotation(experiment(StopTime = 3, Tolerance = 1e-6));
end M;
