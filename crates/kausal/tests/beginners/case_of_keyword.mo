// Case of keyword.
// expect: K0101
// line: 5
// words: lower case
Model M
  Real x;
equation
  x = 1;
end M;
