// Reinit outside when.
// expect: K0368
// line: 9
// words: `when`
model M
  Real x(start = 1, fixed = true);
equation
  der(x) = -x;
  reinit(x, 1);
end M;
