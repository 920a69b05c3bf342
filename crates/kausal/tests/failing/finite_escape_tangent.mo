// expect: K0520
// says: x
// recorded: 1.5
// tan(t), with the step going to zero.
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = 1 + x^2;
  annotation(experiment(StopTime = 2));
end M;
