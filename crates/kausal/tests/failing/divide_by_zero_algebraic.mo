// expect: K0511
// says: y
// recorded: 0.4
// A quotient nobody integrates.
model M
  Real x(start = 0, fixed = true), y;
equation
  der(x) = 1;
  y = time/(if x < 0.5 then 1 else 0);
end M;
