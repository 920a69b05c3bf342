// expect: K0520
// says: z
// recorded: 0.9
// A matrix that loses its rank on the way.
model M
  Real x, y, z(start = 0, fixed = true);
equation
  x + y = 1;
  time*x + y = 2;
  der(z) = x;
  annotation(experiment(StopTime = 2));
end M;
