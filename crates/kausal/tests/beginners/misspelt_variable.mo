// Misspelt variable.
// expect: K0202
// line: 8
// words: did you mean speed?
model M
  Real speed;
equation
  sped = 3;
end M;
