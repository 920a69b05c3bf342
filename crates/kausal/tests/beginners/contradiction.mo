// Contradiction.
// expect: K0405
// line: 8
// words: contradict each other
model M
  Real x, y;
equation
  x + y = 2;
  x + y = 3;
end M;
