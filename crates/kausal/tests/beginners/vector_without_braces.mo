// Vector without braces.
// expect: K0101
// line: 6
// words: braces
model M
  Real x[3] = 1, 2, 3;
end M;
