within Kausal.Examples;
model CoolingBody "A glowing body cools by radiation"
  extends Icons.Example;
  Thermal.HeatCapacitor body(C = 500, T(start = 1200, fixed = true)) "Body"
    annotation(Placement(transformation(extent = {{-40, 20}, {-20, 40}})));
  Thermal.Radiation radiation(Gr = 0.05) "Radiation to the room"
    annotation(Placement(transformation(extent = {{0, -10}, {20, 10}})));
  Thermal.Sources.FixedTemperature room(T = 0) "Nothing radiates back"
    annotation(Placement(transformation(origin = {60, 0}, extent = {{-10, -10}, {10, 10}}, rotation = 180)));
equation
  connect(body.port, radiation.a) annotation(Line(points = {{-30, 20}, {-30, 0}, {0, 0}}, color = {190, 0, 0}));
  connect(radiation.b, room.port) annotation(Line(points = {{20, 0}, {50, 0}}, color = {190, 0, 0}));
  annotation(
    experiment(StartTime = 0, StopTime = 2000, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-50, -20}, {80, 60}})),
    Documentation(info = "<html>
<p>With a room at absolute zero, <code>T = T0/(1 + 3*Gr*sigma*T0^3*t/C)^(1/3)</code>.</p>
</html>"));
end CoolingBody;
