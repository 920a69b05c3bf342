// Parameter depends on variable.
// expect: K0324
// line: 7
// words: k is a parameter, but its value depends on x
model M
  Real x = time;
  parameter Real k = 2*x;
end M;
