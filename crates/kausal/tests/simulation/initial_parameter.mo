// A parameter that follows from what is wanted at the start: the stiffness for a given frequency.
model M
  parameter Real m = 2;
  parameter Real c(fixed = false, start = 1);
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
initial equation
  sqrt(c/m) = 3;
equation
  der(x) = v;
  m*der(v) = -c*x;
  annotation(experiment(StopTime = 2, Tolerance = 1e-9));
end M;
