// Python power.
// expect: K0113
// line: 6
// words: `^`
model M
  Real x = time**2;
end M;
