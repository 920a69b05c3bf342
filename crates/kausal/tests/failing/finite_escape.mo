// expect: K0520
// says: x
// recorded: 0.99
// A solution that is infinite at time 1.
model M
  Real x(start = 1, fixed = true);
equation
  der(x) = x^2;
  annotation(experiment(StopTime = 2));
end M;
