// expect: K0520
// says: in the gap
// recorded: 0.5
// A violation much shorter than the distance of output points.
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  assert(x < 0.5011 or x > 0.50111, "in the gap");
end M;
