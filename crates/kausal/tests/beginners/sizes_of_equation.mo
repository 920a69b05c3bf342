// Sizes of equation.
// expect: K0363
// line: 9
// words: differ in size
model M
  parameter Integer n = 3;
  Real x[n];
equation
  x = {1, 2};
end M;
