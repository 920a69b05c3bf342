// Decimal comma.
// expect: K0126
// line: 6
// words: `1.5`
model M
  parameter Real k = 1,5;
  Real x = k;
end M;
