// expect: K0520
// says: der(x)
// recorded: 0.5
// A logarithm whose argument passes zero.
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = log(1 - time);
  annotation(experiment(StopTime = 2));
end M;
