// expect: K0240 K0402
// A whole number without an equation.
model M
  Integer n;
  Real x(start = 0, fixed = true);
equation
  der(x) = n;
end M;
