model M
  Real x;
equation
  x = 1;
  Real y;
  parameter Real k = 2;
equation
  y = 2;
algorithm
  Modelica.SIunits.Length z;
end M;
