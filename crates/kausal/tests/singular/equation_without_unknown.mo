// expect: K0325
// An equation between parameters only.
model M
  parameter Real a = 1, b = 2;
  Real x;
equation
  a = b;
  x = time;
end M;
