// Double equals.
// expect: K0112
// line: 8
// words: `==`;write `=`
model M
  Real x;
equation
  x == 5;
end M;
