// Keyword as name.
// expect: K0101 K0104 K0122
// line: 6
// words: is a keyword
model M
  Real input;
equation
  input = 1;
end M;
