// Prey and predators: a function of both stays what it was.
model M
  Real x(start = 2, fixed = true), y(start = 1, fixed = true);
  Real kept = x - log(x) + y - log(y);
equation
  der(x) = x*(1 - y);
  der(y) = y*(x - 1);
  annotation(experiment(StopTime = 50, Tolerance = 1e-10));
end M;
