// German quotes.
// expect: K0105
// line: 7
// words: double quotes
model M
  Real x "the position of the “mass”";
  parameter String s = “text”;
equation
  x = 1;
end M;
