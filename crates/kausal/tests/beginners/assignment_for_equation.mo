// Assignment for equation.
// expect: K0110
// line: 8
// words: an equation is written with `=`;write `=`
model M
  Real x;
equation
  x := 5;
end M;
