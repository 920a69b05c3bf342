// expect: K0315
// A cycle through a function that is evaluated at the start.
function f
  input Real x;
  output Real y;
algorithm
  y := x;
  for i in 1:3 loop
    y := 0.5*(y + 2/y);
  end for;
end f;
model M
  parameter Real a = f(b), b = f(c), c = f(a);
  Real x = a*time;
end M;
