within Kausal.Examples;
model DiodeRectifier "Half wave rectifier with an exponential diode"
  extends Icons.Example;
  Electrical.Sources.SineVoltage source(V = 5, f = 50) "Source"
    annotation(Placement(transformation(origin = {-60, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Resistor winding(R = 1) "Resistance of the source"
    annotation(Placement(transformation(extent = {{-45, 30}, {-25, 50}})));
  Electrical.Diode diode(Ids = 1e-9) "Diode"
    annotation(Placement(transformation(extent = {{-5, 30}, {15, 50}})));
  Electrical.Capacitor capacitor(C = 1e-4, v(start = 0, fixed = true)) "Smoothes"
    annotation(Placement(transformation(origin = {40, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Resistor load(R = 500) "Load"
    annotation(Placement(transformation(origin = {70, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Ground ground "Zero potential"
    annotation(Placement(transformation(extent = {{-70, -60}, {-50, -40}})));
equation
  connect(source.p, winding.p) annotation(Line(points = {{-60, 10}, {-60, 40}, {-45, 40}}, color = {0, 0, 190}));
  connect(winding.n, diode.p) annotation(Line(points = {{-25, 40}, {-5, 40}}, color = {0, 0, 190}));
  connect(diode.n, capacitor.p) annotation(Line(points = {{15, 40}, {40, 40}, {40, 10}}, color = {0, 0, 190}));
  connect(capacitor.p, load.p) annotation(Line(points = {{40, 10}, {70, 10}}, color = {0, 0, 190}));
  connect(capacitor.n, source.n) annotation(Line(points = {{40, -10}, {-60, -10}}, color = {0, 0, 190}));
  connect(load.n, source.n) annotation(Line(points = {{70, -10}, {-60, -10}}, color = {0, 0, 190}));
  connect(source.n, ground.p) annotation(Line(points = {{-60, -10}, {-60, -40}}, color = {0, 0, 190}));
  annotation(
    experiment(StartTime = 0, StopTime = 0.1, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-80, -70}, {90, 70}})),
    Documentation(info = "<html>
<p>The voltage over the diode is found from a nonlinear equation with one unknown.</p>
</html>"));
end DiodeRectifier;
