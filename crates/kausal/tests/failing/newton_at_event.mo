// expect: K0511
// says: y
// recorded: 0.4
// After an event the equations have no solution.
model M
  Real x(start = 0, fixed = true), y(start = 1);
  Boolean late = x > 0.5;
equation
  der(x) = 1;
  y^2 + exp(y) = if late then -3 else 4;
end M;
