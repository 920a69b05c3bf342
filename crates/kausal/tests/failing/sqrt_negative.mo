// expect: K0520
// says: der(h)
// recorded: 3.5
// A tank that runs empty without anybody looking.
model M
  Real h(start = 1, fixed = true);
equation
  der(h) = -0.5*sqrt(h);
  annotation(experiment(StopTime = 6));
end M;
