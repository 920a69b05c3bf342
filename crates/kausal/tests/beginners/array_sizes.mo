// Array sizes.
// expect: K0332
// line: 8
// words: differ
model M
  Real a[2] = {1, 2};
  Real b[3] = {1, 2, 3};
  Real c = a*b;
end M;
