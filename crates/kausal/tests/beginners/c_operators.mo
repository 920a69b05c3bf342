// C operators.
// expect: K0113
// line: 6
// words: `and`
model M
  Boolean a = time > 1 && time < 2;
end M;
