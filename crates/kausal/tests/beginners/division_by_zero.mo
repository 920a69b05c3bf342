// Division by zero.
// expect: K0510
// line: 9
// words: division by zero
model M
  parameter Real R = 0;
  Real i;
equation
  i = 10/R;
end M;
