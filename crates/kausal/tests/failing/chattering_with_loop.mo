// expect: K0513
// recorded: 1
// The loop contains what switches.
model M
  Real x(start = 1, fixed = true);
  Real y(start = 0.5), s(start = 0);
equation
  y^3 + y = (if x > 0 then -1 else 1) + 0.1*s;
  s = y + sin(s);
  der(x) = y;
  annotation(experiment(StopTime = 5));
end M;
