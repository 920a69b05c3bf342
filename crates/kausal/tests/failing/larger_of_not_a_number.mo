// expect: K0520
// says: y
// recorded: 0.4
// What is not a number stays visible through max, min and sign.
model M
  Real x(start = 1, fixed = true), y = max(sqrt(x), min(sign(sqrt(x)), 3));
equation
  der(x) = -2;
end M;
