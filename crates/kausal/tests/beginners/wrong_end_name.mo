// Wrong end name.
// expect: K0114
// line: 9
// words: expected `M`
model M
  Real x;
equation
  x = 1;
end Modell;
