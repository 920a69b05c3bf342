// expect: K0402
// A parameter to be found, and nothing that says how.
model M
  parameter Real p(fixed = false);
  Real x(start = 1, fixed = true);
equation
  der(x) = -p*x;
end M;
