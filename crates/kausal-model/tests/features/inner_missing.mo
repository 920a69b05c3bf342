// 5.4: without an inner component one is added at the top, with a warning.
model Field
  parameter Real g = 9.81;
end Field;
model Stone
  outer Field field;
  Real v(start = 0, fixed = true);
equation
  der(v) = -field.g;
end Stone;
model InnerMissing
  Stone stone;
end InnerMissing;
