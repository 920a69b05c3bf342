// Missing semicolon.
// expect: K0102
// line: 6
// words: missing `;`
model M
  Real x(start = 1)
equation
  der(x) = -x;
end M;
