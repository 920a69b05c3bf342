// expect: K0520
// says: x
// recorded: 0.9
// Two solutions that meet and vanish.
model M
  Real x(start = 1), z(start = 0, fixed = true);
equation
  x^2 + x = 3.75 - 4*time;
  der(z) = x;
  annotation(experiment(StopTime = 2));
end M;
