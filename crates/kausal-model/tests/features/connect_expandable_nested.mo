// 9.1.3: what is added to a bus inside a bus is there in all connected ones, also when only the outer ones are connected.
expandable connector Inner
end Inner;
expandable connector Bus
  Inner engine;
end Bus;
connector RealInput = input Real;
connector RealOutput = output Real;
block Sensor
  RealOutput y = time;
  Bus bus;
equation
  connect(y, bus.engine.speed);
end Sensor;
block Display
  RealInput u;
  Bus bus;
  Real shown = 2*u;
equation
  connect(bus.engine.speed, u);
end Display;
block Cable
  Bus left;
  Bus right;
equation
  connect(left, right);
end Cable;
model ConnectExpandableNested
  Sensor sensor;
  Cable cable;
  Display display;
equation
  connect(sensor.bus, cable.left);
  connect(cable.right, display.bus);
end ConnectExpandableNested;
