// expect: K0513
// recorded: 0.4
// A relay without hysteresis on the sliding surface.
model M
  Real x(start = 0.5, fixed = true);
equation
  der(x) = if x > 0 then -1 else 1;
end M;
