within Kausal.Examples;
model Thermostat "A room that is heated when it is too cold"
  extends Icons.Example;
  Thermal.HeatCapacitor room(C = 2e6, T(start = 288.15, fixed = true)) "Air and furniture"
    annotation(Placement(transformation(extent = {{-10, 20}, {10, 40}})));
  Thermal.ThermalConductor walls(G = 150) "Losses through the walls"
    annotation(Placement(transformation(extent = {{30, -10}, {50, 10}})));
  Thermal.Sources.PrescribedTemperature outside "Outside air"
    annotation(Placement(transformation(origin = {80, 0}, extent = {{-10, -10}, {10, 10}}, rotation = 180)));
  Blocks.Sources.Sine weather(amplitude = 5, f = 1/86400, offset = 273.15) "Day and night"
    annotation(Placement(transformation(extent = {{90, 40}, {110, 60}})));
  Thermal.Sources.PrescribedHeatFlow heater "Heater"
    annotation(Placement(transformation(extent = {{-50, -10}, {-30, 10}})));
  Thermal.Sensors.TemperatureSensor sensor "Thermometer"
    annotation(Placement(transformation(origin = {-20, -50}, extent = {{-10, -10}, {10, 10}}, rotation = 180)));
  Blocks.Logical.Hysteresis tooWarm(uHigh = 294.15, uLow = 293.15) "Switches off at 21, on at 20 degrees Celsius"
    annotation(Placement(transformation(extent = {{-70, -60}, {-50, -40}})));
  Blocks.Logical.BooleanToReal power(yTrue = 0, yFalse = 5000) "Heats with 5 kW"
    annotation(Placement(transformation(extent = {{-90, -10}, {-70, 10}})));
equation
  connect(room.port, walls.a) annotation(Line(points = {{0, 20}, {0, 0}, {30, 0}}, color = {190, 0, 0}));
  connect(walls.b, outside.port) annotation(Line(points = {{50, 0}, {70, 0}}, color = {190, 0, 0}));
  connect(weather.y, outside.T)
    annotation(Line(points = {{111, 50}, {101, 50}, {101, 0}, {91, 0}}, color = {0, 0, 127}));
  connect(heater.port, room.port) annotation(Line(points = {{-30, 0}, {0, 0}, {0, 20}}, color = {190, 0, 0}));
  connect(sensor.port, room.port) annotation(Line(points = {{-10, -50}, {0, -50}, {0, 20}}, color = {190, 0, 0}));
  connect(sensor.T, tooWarm.u) annotation(Line(points = {{-31, -50}, {-71, -50}}, color = {0, 0, 127}));
  connect(tooWarm.y, power.u)
    annotation(Line(points = {{-49, -50}, {-70, -50}, {-70, 0}, {-91, 0}}, color = {200, 0, 200}));
  connect(power.y, heater.Q_flow) annotation(Line(points = {{-69, 0}, {-51, 0}}, color = {0, 0, 127}));
  annotation(
    experiment(StartTime = 0, StopTime = 86400, Tolerance = 1e-6),
    Diagram(
      coordinateSystem(extent = {{-110, -70}, {130, 80}}),
      graphics = {
        Rectangle(extent = {{-105, -65}, {-45, 75}}, lineColor = {150, 150, 150}, pattern = LinePattern.Dash),
        Text(extent = {{-105, 75}, {-45, 67}}, textString = "control", textColor = {150, 150, 150}),
        Rectangle(extent = {{-20, -20}, {25, 75}}, lineColor = {150, 150, 150}, pattern = LinePattern.Dash),
        Text(extent = {{-20, 75}, {25, 67}}, textString = "room", textColor = {150, 150, 150}),
        Rectangle(extent = {{68, -20}, {115, 75}}, lineColor = {150, 150, 150}, pattern = LinePattern.Dash),
        Text(extent = {{68, 75}, {115, 67}}, textString = "outside", textColor = {150, 150, 150})}),
    Documentation(info = "<html>
<p>The heater is switched on below 20 and off above 21 degrees Celsius; outside it is freezing at night.</p>
</html>"));
end Thermostat;
