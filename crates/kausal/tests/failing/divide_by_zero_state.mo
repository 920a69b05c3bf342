// expect: K0520
// says: x
// recorded: 0.9
// A rate that divides by what becomes zero.
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = 1/(1 - time);
  annotation(experiment(StopTime = 2));
end M;
