// Index out of range.
// expect: K0336
// line: 9
// words: outside 1:3
model M
  Real x[3];
equation
  for i in 1:4 loop
    x[i] = i;
  end for;
end M;
