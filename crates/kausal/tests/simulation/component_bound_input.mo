// An input of the whole model that has its equation.
model M
  input Real u = 2;
  Real x(start = 1, fixed = true);
equation
  der(x) = -u*x;
end M;
