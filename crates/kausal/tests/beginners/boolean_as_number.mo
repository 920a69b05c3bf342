// Boolean as number.
// expect: K0340
// line: 7
// words: if b then 1 else 0
model M
  Boolean on = time > 1;
  Real x = 3*on;
end M;
