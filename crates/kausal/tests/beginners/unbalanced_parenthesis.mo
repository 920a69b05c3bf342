// Unbalanced parenthesis.
// expect: K0103
// line: 8
// words: not closed
model M
  Real x;
equation
  x = 2*(time + 1;
end M;
