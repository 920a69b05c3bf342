// String to real.
// expect: K0317
// line: 6
// words: without quotes
model M
  parameter Real k = "5";
  Real x = k;
end M;
