// expect: K0510
// says: x
// A parameter that must not be zero.
model M
  parameter Real T = 0;
  Real x(start = 1, fixed = true);
equation
  T*der(x) = -x;
end M;
