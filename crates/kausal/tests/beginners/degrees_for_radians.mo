// Degrees for radians.
// expect: K0611
// line: 7
// words: deg;rad;convert
model M
  parameter Real angle(unit = "deg") = 30;
  Real phi(unit = "rad") = angle;
end M;
