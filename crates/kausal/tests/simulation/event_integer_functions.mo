// Whole numbers of a growing time make events.
model M
  Real saw(start = 0, fixed = true), stairs(start = 0, fixed = true);
  Integer n;
  Real m;
equation
  n = integer(time);
  m = mod(time, 0.5);
  der(stairs) = floor(2*time);
  der(saw) = m;
  annotation(experiment(StopTime = 3.25, Tolerance = 1e-9));
end M;
