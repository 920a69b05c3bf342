// 7.3: components are redeclared with their modifiers; the constraining class gives defaults (7.3.2).
partial model Law
  input Real x;
  Real y;
  parameter Real k = 1;
end Law;
model Linear
  extends Law;
equation
  y = k*x;
end Linear;
model Square
  extends Law;
  parameter Real q = 1;
equation
  y = k*q*x^2;
end Square;
model Plant
  replaceable Linear law(k = 2) constrainedby Law(k = 3);
equation
  law.x = time;
end Plant;
model RedeclareComponent
  Plant a;
  Plant b(redeclare Square law(q = 5));
end RedeclareComponent;
