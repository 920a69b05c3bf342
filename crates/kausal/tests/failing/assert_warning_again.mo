// expect: K0530
// says: large (4 times
// recorded: 6
// A warning that comes again and again is said once, with its number.
model M
  Real x;
equation
  x = sin(4*time);
  assert(x < 0.9, "large", AssertionLevel.warning);
  annotation(experiment(StopTime = 6.5));
end M;
