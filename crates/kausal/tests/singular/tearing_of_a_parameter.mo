// expect: K0435
// options: tearing
// A parameter is no unknown.
model M
  parameter Real p = 1;
  Real a, b;
equation
  a + b = time + residue(p);
  a - 2*b = 1;
end M;
