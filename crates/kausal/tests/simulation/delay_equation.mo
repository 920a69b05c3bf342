// A delay differential equation with a constant past, solved piece by piece (method of steps).
model M
  Real x(start = 1, fixed = true);
equation
  der(x) = -delay(x, 1);
  annotation(experiment(StopTime = 3, Tolerance = 1e-9));
end M;
