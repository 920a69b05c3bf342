// 7.4: an `extends` clause leaves out connections and components with their connections.
connector RealInput = input Real;
connector RealOutput = output Real;
block Gain
  parameter Real k = 2;
  RealInput u;
  RealOutput y = k*u;
end Gain;
block Lag
  RealInput u;
  RealOutput y(start = 0, fixed = true);
equation
  der(y) = u - y;
end Lag;
block Step
  RealOutput y = if time > 1 then 1 else 0;
end Step;
model Loop
  Step reference;
  Gain controller;
  Lag plant;
  Gain sensor;
equation
  connect(reference.y, controller.u);
  connect(controller.y, plant.u);
  connect( plant.y , sensor.u);
end Loop;
model Filtered "something on a connection"
  extends Loop(break connect(sensor.u, plant.y));
  Lag filter;
equation
  connect(plant.y, filter.u);
  connect(filter.y, sensor.u);
end Filtered;
model ExtendsSelected "another controller, which is not replaceable"
  extends Filtered(break controller, plant(y(start = 2)));
  Lag controller;
equation
  connect(reference.y, controller.u);
  connect(controller.y, plant.u);
end ExtendsSelected;
