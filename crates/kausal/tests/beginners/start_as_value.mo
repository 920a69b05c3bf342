// A start value written as a value.
// expect: K0240 K0401
// line: 8
// words: x(start =
model M
  Real x = 0;
equation
  der(x) = -x;
end M;
