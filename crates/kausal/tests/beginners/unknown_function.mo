// Unknown function.
// expect: K0202
// line: 6
// words: did you mean sin?
model M
  Real x = sine(time);
end M;
