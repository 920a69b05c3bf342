// expect: K0520
// says: der(x)
// recorded: 0.9
// An angle that does not exist.
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = acos(time);
  annotation(experiment(StopTime = 2));
end M;
