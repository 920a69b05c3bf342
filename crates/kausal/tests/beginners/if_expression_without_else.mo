// If expression without else.
// expect: K0124
// line: 8
// words: needs an `else`
model M
  Real x;
equation
  x = if time > 1 then 2;
end M;
