// Parameter in equation.
// expect: K0325
// line: 9
// words: k is a parameter
model M
  parameter Real k = 1;
  Real x;
equation
  k = 2;
  x = k*time;
end M;
