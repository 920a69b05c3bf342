// Parameters bound to one that an initial equation finds, through a function and an Integer as well.
function area
  input Real r;
  output Real a;
algorithm
  a := 3*r*r;
end area;
model M
  parameter Real p(fixed = false);
  parameter Real q = 2*p;
  parameter Integer n = integer(q) + 1;
  parameter Real a = area(q);
  Real x(start = q, fixed = true);
equation
  der(x) = n;
initial equation
  p = 3;
  annotation(experiment(StopTime = 1));
end M;
