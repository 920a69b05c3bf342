// Equation in declarations.
// expect: K0123
// line: 7
// words: keyword `equation`
model M
  Real x;
  x = 1;
end M;
