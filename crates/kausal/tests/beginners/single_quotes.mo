// A text in single quotes.
// expect: K0202
// line: 6
// words: double quotes
model M
  parameter String s = 'hello';
  Real x = time;
end M;
