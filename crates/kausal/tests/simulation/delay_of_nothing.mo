// A delay of zero, by a number and by a parameter, is no delay, and costs no steps.
model M
  parameter Real none = 0;
  Real x(start = 0, fixed = true);
  Real now = delay(sin(x), 0);
  Real same = delay(x^2, none, 1) - x^2;
equation
  der(x) = cos(now);
  annotation(experiment(StopTime = 1000, Tolerance = 1e-8));
end M;
