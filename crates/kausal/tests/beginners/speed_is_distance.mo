// Speed is distance.
// expect: K0610
// line: 10
// words: m/s
model M
  Real s(unit = "m", start = 0, fixed = true);
  Real v(unit = "m/s");
equation
  der(s) = 1;
  v = 2*s;
end M;
