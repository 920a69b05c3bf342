// Scalar plus vector.
// expect: K0340
// line: 7
// words: `.+`
model M
  Real a[2] = {1, 2};
  Real b[2] = a + 1;
end M;
