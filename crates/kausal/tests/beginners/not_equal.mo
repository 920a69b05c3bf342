// Not equal.
// expect: K0113
// line: 6
// words: `<>`
model M
  Boolean a = 3 != 4;
end M;
