// expect: K0520
// says: der(x)
// recorded: 0.9
// A negative number to a broken power.
model M
  Real x(start = 1, fixed = true);
equation
  der(x) = -(1 - time)^0.5*2;
  annotation(experiment(StopTime = 2));
end M;
