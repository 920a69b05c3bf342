// expect: K0511
// says: y
// recorded: 0.4
// A step of what is not a number.
model M
  Real x(start = 1, fixed = true), y = floor(sqrt(x));
equation
  der(x) = -2;
end M;
