// Unit without quotes.
// expect: K0202
// line: 6
// words: not found
model M
  Real x(unit = m);
equation
  x = 1;
end M;
