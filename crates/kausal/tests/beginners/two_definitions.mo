// Two definitions.
// expect: K0240 K0401
// line: 8
// words: x is given two values
model M
  Real x = 1;
equation
  x = 2*time;
end M;
