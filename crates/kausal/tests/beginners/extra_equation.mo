// Extra equation.
// expect: K0240 K0401
// line: 5
// words: 1 equation is too many
model M
  Real x;
equation
  x = 2;
  x = 3;
end M;
