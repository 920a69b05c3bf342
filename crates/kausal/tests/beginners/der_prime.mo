// Der prime.
// expect: K0127
// line: 8
// words: der(x)
model M
  Real x(start = 1);
equation
  x' = -x;
end M;
