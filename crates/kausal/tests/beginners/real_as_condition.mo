// Real as condition.
// expect: K0342
// line: 9
// words: must be Boolean
model M
  Real x = time;
  Real y;
equation
  y = if x then 1 else 2;
end M;
