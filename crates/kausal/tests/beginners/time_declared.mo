// Time declared.
// expect: K0202
// line: 8
// words: the time is written time
model M
  Real x;
equation
  x = t^2;
end M;
