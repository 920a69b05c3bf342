// Parts that are exchanged, conditional, and found by name in the surroundings.
partial model Law
  input Real x;
  output Real f;
end Law;
model Linear
  extends Law;
  parameter Real c = 1;
equation
  f = c*x;
end Linear;
model Cubic
  extends Law;
  parameter Real c = 1;
equation
  f = c*x^3;
end Cubic;
model World
  parameter Real g = 9.81;
end World;
model Body
  outer World world;
  replaceable model Spring = Linear constrainedby Law;
  Spring spring;
  parameter Real m = 1;
  Real x;
equation
  spring.x = x;
  spring.f = m*world.g;
end Body;
model M
  inner World world(g = 2);
  Body soft(m = 3, redeclare model Spring = Linear(c = 4));
  Body hard(m = 4, redeclare model Spring = Cubic(c = 1), x(start = 1));
  parameter Boolean extra = true;
  Body third(m = 5) if extra;
  Body none(m = 6) if not extra;
end M;
