// Arrays and a two-point controller.
//
// A wall is cut into layers: arrays of components, connected in a loop. The heater switches with a hysteresis, each
// switching being an event.

model HouseHeating "A house with a thick wall, heated to 20 degrees Celsius"
  parameter Integer n = 8 "Layers of the wall";
  Kausal.Thermal.HeatCapacitor air(C = 4e6, T(start = 285.15, fixed = true)) "Air and furniture";
  Kausal.Thermal.HeatCapacitor layer[n](each C = 2e7/n, each T(start = 283.15, fixed = true)) "Layers of the wall";
  Kausal.Thermal.ThermalConductor inside(G = 800) "From the air to the wall";
  Kausal.Thermal.ThermalConductor between[n - 1](each G = 300*n) "Between two layers";
  Kausal.Thermal.ThermalConductor outside(G = 1500) "From the wall to the outside air";
  Kausal.Thermal.Sources.FixedTemperature winter(T = 268.15) "5 degrees of frost";
  Kausal.Thermal.Sources.PrescribedHeatFlow heater "Heater";
  Kausal.Thermal.Sensors.TemperatureSensor thermometer "Temperature of the air";
  Kausal.Blocks.Logical.Hysteresis warm(uHigh = 293.65, uLow = 292.65) "Warm enough?";
  Kausal.Blocks.Logical.BooleanToReal power(yTrue = 0, yFalse = 12000) "Full power or nothing";
equation
  connect(air.port, inside.a);
  connect(inside.b, layer[1].port);
  for i in 1:n - 1 loop
    connect(layer[i].port, between[i].a);
    connect(between[i].b, layer[i + 1].port);
  end for;
  connect(layer[n].port, outside.a);
  connect(outside.b, winter.port);
  connect(thermometer.port, air.port);
  connect(thermometer.T, warm.u);
  connect(warm.y, power.u);
  connect(power.y, heater.Q_flow);
  connect(heater.port, air.port);
  annotation(experiment(StartTime = 0, StopTime = 86400, Tolerance = 1e-6));
end HouseHeating;
