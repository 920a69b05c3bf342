// 9.1.3: members of expandable connectors come into being by connections.
connector RealInput = input Real;
connector RealOutput = output Real;
expandable connector Bus
end Bus;
model Sensor
  RealOutput y = sin(time);
  Bus bus;
equation
  connect(y, bus.speed);
end Sensor;
model Controller
  RealInput u;
  Real v = 2*u;
  Bus bus;
equation
  connect(bus.speed, u);
end Controller;
model ConnectExpandable
  Sensor sensor;
  Controller controller;
  Bus bus;
equation
  connect(sensor.bus, bus);
  connect(controller.bus, bus);
end ConnectExpandable;
