// A parameter from an initial slope: the feed that makes a tank start at a given rate.
model M
  parameter Real feed(fixed = false, start = 1);
  Real h(start = 4, fixed = true);
initial equation
  der(h) = 1;
equation
  der(h) = feed - 0.5*sqrt(h);
  annotation(experiment(StopTime = 2, Tolerance = 1e-9));
end M;
