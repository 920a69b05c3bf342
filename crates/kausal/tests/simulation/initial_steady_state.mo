// A nonlinear reactor starts in equilibrium and is then disturbed by nothing.
model M
  parameter Real k = 2;
  Real x(start = 1), y(start = 1);
initial equation
  der(x) = 0;
  der(y) = 0;
equation
  der(x) = 3 - k*x*y;
  der(y) = k*x*y - y^2;
  annotation(experiment(StopTime = 10, Tolerance = 1e-8));
end M;
