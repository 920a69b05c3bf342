// Hash comment.
// expect: K0105
// line: 6
// words: comments begin with `//`
model M
  Real x; # the position
equation
  x = 1;
end M;
