// Missing end.
// expect: K0115
// line: 5
// words: `M` has no `end M;`
model M
  Real x;
equation
  x = 1;
