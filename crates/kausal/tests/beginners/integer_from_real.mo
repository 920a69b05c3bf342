// Integer from real.
// expect: K0317
// line: 6
// words: declare it Real
model M
  parameter Integer n = 2.5;
  Real x[n] = ones(n);
end M;
