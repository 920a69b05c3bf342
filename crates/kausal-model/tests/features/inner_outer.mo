// 5.4: an outer component is the inner one of the same name further up, with its modifications.
model World
  parameter Real g = 9.81;
  Real T = 300;
end World;
model Body
  outer World world;
  Real v(start = 0, fixed = true);
equation
  der(v) = -world.g*world.T/300;
end Body;
model Group
  Body a;
  Body b;
end Group;
model InnerOuter
  inner World world(g = 1.62);
  Group moon;
end InnerOuter;
