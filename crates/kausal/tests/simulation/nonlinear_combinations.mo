// The combination that is tried first leads far away, where the right one cannot be evaluated: each combination starts
// from the guess.
model M
  Real x(start = 0);
  Boolean low(start = false);
equation
  low = x < 5;
  0 = if low then exp(-x) - 2 else x + 1e5 + 1e-12*x^3;
  annotation(experiment(StopTime = 1, Tolerance = 1e-8));
end M;
