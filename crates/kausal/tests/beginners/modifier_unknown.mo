// Modifier unknown.
// expect: K0213
// line: 6
// words: no attribute begin;start
model M
  Real x(begin = 1);
equation
  der(x) = -x;
end M;
