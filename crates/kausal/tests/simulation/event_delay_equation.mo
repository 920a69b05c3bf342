// A delay differential equation, solved by hand step by step.
model M
  Real x(start = 1, fixed = true);
equation
  der(x) = -delay(x, 1);
  annotation(experiment(StopTime = 3, Tolerance = 1e-9));
end M;
