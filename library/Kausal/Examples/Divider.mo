within Kausal.Examples;
model Divider "Voltage divider: an algebraic loop of the simplest kind"
  extends Icons.Example;
  Electrical.Sources.ConstantVoltage source(V = 12) "Battery"
    annotation(Placement(transformation(origin = {-60, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Resistor upper(R = 1000) "Upper resistor"
    annotation(Placement(transformation(origin = {0, 40}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Resistor lower(R = 2000) "Lower resistor; two thirds of the voltage"
    annotation(Placement(transformation(origin = {0, -20}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Ground ground "Zero potential"
    annotation(Placement(transformation(extent = {{-70, -70}, {-50, -50}})));
equation
  connect(source.p, upper.p) annotation(Line(points = {{-60, 10}, {-60, 30}, {0, 30}, {0, 50}}, color = {0, 0, 190}));
  connect(upper.n, lower.p) annotation(Line(points = {{0, 30}, {0, -10}}, color = {0, 0, 190}));
  connect(lower.n, source.n)
    annotation(Line(points = {{0, -30}, {0, -20}, {-60, -20}, {-60, -10}}, color = {0, 0, 190}));
  connect(source.n, ground.p) annotation(Line(points = {{-60, -10}, {-60, -50}}, color = {0, 0, 190}));
  annotation(
    experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-80, -80}, {20, 70}})),
    Documentation(info = "<html>
<p>The voltage of <code>lower</code> is 8 V. The current through both resistors appears in both of their equations: a
loop which the translator solves once and for all.</p>
</html>"));
end Divider;
