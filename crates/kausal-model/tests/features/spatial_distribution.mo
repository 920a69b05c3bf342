model Pipe "what enters at one end leaves at the other, later"
  parameter Real length = 2;
  parameter Integer n = 3;
  Real v = cos(time);
  Real x(start = 0, fixed = true);
  Real left, right;
  Real onlyLeft;
equation
  der(x) = v/length;
  (left, right) = spatialDistribution(sin(time), 0.0, x, v >= 0, initialPoints = linspace(0, 1, n), initialValues = fill(0.5, n));
  onlyLeft = 2*spatialDistribution(time, 1, x, true);
end Pipe;
