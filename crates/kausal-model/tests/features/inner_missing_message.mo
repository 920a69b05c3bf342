// 5.4 and 18.7: the class says what to do when an inner component is missing.
model World
  parameter Real g = 9.81;
  annotation(missingInnerMessage = "This model needs a World: drag one into it");
end World;
model Ball
  outer World world;
  Real v(start = 0, fixed = true);
equation
  der(v) = -world.g;
end Ball;
model InnerMissingMessage
  Ball ball;
end InnerMissingMessage;
