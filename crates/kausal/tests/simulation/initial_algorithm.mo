// Initial statements, start values from parameters of parameters.
model M
  parameter Real a = 2*b, b = c + 1, c = 3;
  Real x(start = a*b, fixed = true);
  Real y;
initial algorithm
  y := x/4;
equation
  der(x) = -x;
  der(y) = x;
  annotation(experiment(StopTime = 1, Tolerance = 1e-9));
end M;
