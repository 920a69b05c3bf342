// The derivative as a fraction.
// expect: K0202
// line: 8
// words: der(x)
model M
  Real x(start = 1);
equation
  dx/dt = -x;
end M;
