within Kausal.Examples;
model RC "A capacitor charged through a resistor"
  extends Icons.Example;
  Electrical.Sources.ConstantVoltage source(V = 10) "Battery"
    annotation(Placement(transformation(origin = {-60, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Resistor resistor(R = 1000) "Limits the current"
    annotation(Placement(transformation(extent = {{-30, 30}, {-10, 50}})));
  Electrical.Capacitor capacitor(C = 1e-3, v(start = 0, fixed = true)) "Uncharged in the beginning"
    annotation(Placement(transformation(origin = {20, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Ground ground "Zero potential"
    annotation(Placement(transformation(extent = {{-70, -60}, {-50, -40}})));
equation
  connect(source.p, resistor.p) annotation(Line(points = {{-60, 10}, {-60, 40}, {-30, 40}}, color = {0, 0, 190}));
  connect(resistor.n, capacitor.p) annotation(Line(points = {{-10, 40}, {20, 40}, {20, 10}}, color = {0, 0, 190}));
  connect(capacitor.n, source.n) annotation(Line(points = {{20, -10}, {-60, -10}}, color = {0, 0, 190}));
  connect(source.n, ground.p) annotation(Line(points = {{-60, -10}, {-60, -40}}, color = {0, 0, 190}));
  annotation(
    experiment(StartTime = 0, StopTime = 5, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-80, -70}, {40, 70}})),
    Documentation(info = "<html>
<p>The voltage of the capacitor is <code>V*(1 - exp(-t/(R*C)))</code>; here the time constant <code>R*C</code> is 1
s.</p>
</html>"));
end RC;
