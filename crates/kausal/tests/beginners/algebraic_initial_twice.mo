// Algebraic initial twice.
// expect: K0420 K0510
// line: 6
// words: remove `fixed = true`
model M
  Real x(start = 1, fixed = true);
initial equation
  x = 2;
equation
  der(x) = -x;
end M;
