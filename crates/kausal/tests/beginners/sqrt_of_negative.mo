// Sqrt of negative.
// expect: K0510
// line: 8
// words: sqrt(x - 2)
model M
  Real x(start = 1, fixed = true);
equation
  der(x) = -sqrt(x - 2);
end M;
