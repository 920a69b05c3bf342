// Missing equation.
// expect: K0240 K0402
// line: 6
// words: y is in no equation
model M
  Real x, y;
equation
  x = 2;
end M;
