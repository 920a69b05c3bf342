// 9.1.3: vectors of expandable connectors, declared with a size, with [:] or not at all; those who connect elements need not
// know of one another. Elements that nobody connects have a default value.
connector RealInput = input Real;
connector RealOutput = output Real;
connector Pin
  Real v;
  flow Real i;
end Pin;
expandable connector Bus
  Real torque[:];
  Real level[3];
  Pin pins[:];
end Bus;
model Sensor
  parameter Integer number = 1;
  RealOutput y = number*time;
  Bus bus;
equation
  connect(y, bus.speed[number]);
  connect(y, bus.torque[number + 1]);
end Sensor;
model Display
  RealInput speed, torque, level;
  Bus bus;
equation
  connect(speed, bus.speed[3]);
  connect(bus.torque[2], torque);
  connect(level, bus.level[2]);
end Display;
model Resistor
  parameter Real R = 10;
  Pin p;
  Real supply = 0;
equation
  p.v - supply = R*p.i;
end Resistor;
model Source
  Resistor cell(R = 1, supply = sin(time));
  Bus bus;
equation
  connect(cell.p, bus.pins[2]);
end Source;
model Load
  Resistor resistor;
  Bus bus;
equation
  connect(bus.pins[2], resistor.p);
end Load;
model ConnectExpandableArrays
  Sensor first, third(number = 3);
  Display display;
  Source source;
  Load load;
  RealOutput level = cos(time);
  Bus bus;
equation
  connect(level, bus.level[2]);
  connect(first.bus, bus);
  connect(third.bus, bus);
  connect(display.bus, bus);
  connect(source.bus, bus);
  connect(load.bus, bus);
end ConnectExpandableArrays;
