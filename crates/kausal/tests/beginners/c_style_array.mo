// C style array.
// expect: K0313
// line: 6
// words: 2 dimensions
model M
  Real[3] x = [1, 2, 3];
end M;
