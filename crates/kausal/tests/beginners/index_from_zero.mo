// Index from zero.
// expect: K0336
// line: 9
// words: outside 1:3
model M
  Real x[3];
equation
  for i in 0:2 loop
    x[i] = i;
  end for;
end M;
