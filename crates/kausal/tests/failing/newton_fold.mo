// expect: K0520
// says: y
// recorded: 0.38
// A constraint that turns back on itself.
model M
  Real x(start = 0, fixed = true), y(start = 1.2);
equation
  der(x) = 1;
  y^3 - y = -x;
  annotation(experiment(StopTime = 3));
end M;
