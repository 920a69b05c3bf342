// expect: K0324
model M
  parameter Real p(min = q) = 1;
  parameter Real q = p;
  Real x(start = y0, fixed = true);
  parameter Real y0 = x;
equation
  der(x) = 1;
end M;
