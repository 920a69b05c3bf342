// Start without brackets.
// expect: K0101
// line: 6
// words: attributes stand in parentheses
model M
  Real x start = 1;
equation
  der(x) = -x;
end M;
