within Kausal.Examples;
model HeatedRod "Heat conduction along a rod"
  extends Icons.Example;
  parameter Integer n = 20 "Number of pieces";
  parameter Units.HeatCapacity C = 400 "Heat capacity of the rod";
  parameter Units.ThermalConductance G = 2 "Thermal conductance of the rod from end to end";
  Thermal.HeatCapacitor piece[n](each C = C/n, each T(start = 293.15, fixed = true)) "Pieces"
    annotation(Placement(transformation(extent = {{-10, 30}, {10, 50}})));
  Thermal.ThermalConductor inside[n - 1](each G = n*G) "Between the middles of two pieces"
    annotation(Placement(transformation(extent = {{-10, -10}, {10, 10}})));
  Thermal.ThermalConductor left(G = 2*n*G) "From the hot end to the middle of the first piece"
    annotation(Placement(transformation(extent = {{-60, -10}, {-40, 10}})));
  Thermal.ThermalConductor right(G = 2*n*G) "From the middle of the last piece to the cold end"
    annotation(Placement(transformation(extent = {{40, -10}, {60, 10}})));
  Thermal.Sources.FixedTemperature hot(T = 373.15) "Boiling water"
    annotation(Placement(transformation(extent = {{-100, -10}, {-80, 10}})));
  Thermal.Sources.FixedTemperature cold(T = 273.15) "Ice water"
    annotation(Placement(transformation(origin = {90, 0}, extent = {{-10, -10}, {10, 10}}, rotation = 180)));
equation
  for i in 1:n - 1 loop
    connect(piece[i].port, inside[i].a) annotation(Line(points = {{0, 30}, {0, 0}, {-10, 0}}, color = {190, 0, 0}));
    connect(inside[i].b, piece[i + 1].port)
      annotation(Line(points = {{10, 0}, {0, 0}, {0, 30}}, color = {190, 0, 0}));
  end for;
  connect(hot.port, left.a) annotation(Line(points = {{-80, 0}, {-60, 0}}, color = {190, 0, 0}));
  connect(left.b, piece[1].port) annotation(Line(points = {{-40, 0}, {0, 0}, {0, 30}}, color = {190, 0, 0}));
  connect(piece[n].port, right.a) annotation(Line(points = {{0, 30}, {0, 0}, {40, 0}}, color = {190, 0, 0}));
  connect(right.b, cold.port) annotation(Line(points = {{60, 0}, {80, 0}}, color = {190, 0, 0}));
  annotation(
    experiment(StartTime = 0, StopTime = 1000, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-110, -20}, {110, 70}})),
    Documentation(info = "<html>
<p>In the end the temperature falls linearly from the hot to the cold end and 200 W flow through the rod.</p>
</html>"));
end HeatedRod;
