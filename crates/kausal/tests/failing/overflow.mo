// expect: K0520
// says: x
// recorded: 0.2
// Growth beyond all numbers.
model M
  Real x(start = 1, fixed = true);
equation
  der(x) = exp(x)*x;
  annotation(experiment(StopTime = 10));
end M;
