// A step as the argument of a function that becomes a formula.
function f
  input Real u;
  output Real y;
algorithm
  y := u*u + 1;
end f;
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = f(integer(4*time));
end M;
