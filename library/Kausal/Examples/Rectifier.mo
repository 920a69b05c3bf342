within Kausal.Examples;
model Rectifier "Bridge rectifier with ideal diodes"
  extends Icons.Example;
  Electrical.Sources.SineVoltage source(V = 12, f = 50) "Transformer"
    annotation(Placement(transformation(origin = {-70, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Resistor winding(R = 0.5) "Resistance of the winding"
    annotation(Placement(transformation(extent = {{-60, 20}, {-40, 40}})));
  Electrical.IdealDiode D1(Goff = 1e-7) "From the source to plus"
    annotation(Placement(transformation(extent = {{-10, 50}, {10, 70}})));
  Electrical.IdealDiode D2(Goff = 1e-7) "From the other end of the source to plus"
    annotation(Placement(transformation(extent = {{-10, 10}, {10, 30}})));
  Electrical.IdealDiode D3(Goff = 1e-7) "From minus to the source"
    annotation(Placement(transformation(origin = {0, -20}, extent = {{-10, -10}, {10, 10}}, rotation = 180)));
  Electrical.IdealDiode D4(Goff = 1e-7) "From minus to the other end of the source"
    annotation(Placement(transformation(origin = {0, -60}, extent = {{-10, -10}, {10, 10}}, rotation = 180)));
  Electrical.Capacitor capacitor(C = 2e-3, v(start = 0, fixed = true)) "Smoothes"
    annotation(Placement(transformation(origin = {40, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Resistor load(R = 20) "Load"
    annotation(Placement(transformation(origin = {70, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Ground ground "Minus"
    annotation(Placement(transformation(extent = {{30, -100}, {50, -80}})));
equation
  connect(source.p, winding.p) annotation(Line(points = {{-70, 10}, {-70, 30}, {-60, 30}}, color = {0, 0, 190}));
  connect(winding.n, D1.p)
    annotation(Line(points = {{-40, 30}, {-25, 30}, {-25, 60}, {-10, 60}}, color = {0, 0, 190}));
  connect(winding.n, D3.n)
    annotation(Line(points = {{-40, 30}, {-25, 30}, {-25, -20}, {-10, -20}}, color = {0, 0, 190}));
  connect(source.n, D2.p) annotation(Line(points = {{-70, -10}, {-70, 20}, {-10, 20}}, color = {0, 0, 190}));
  connect(source.n, D4.n) annotation(Line(points = {{-70, -10}, {-70, -60}, {-10, -60}}, color = {0, 0, 190}));
  connect(D1.n, capacitor.p) annotation(Line(points = {{10, 60}, {40, 60}, {40, 10}}, color = {0, 0, 190}));
  connect(D2.n, capacitor.p) annotation(Line(points = {{10, 20}, {40, 20}, {40, 10}}, color = {0, 0, 190}));
  connect(D3.p, capacitor.n) annotation(Line(points = {{10, -20}, {40, -20}, {40, -10}}, color = {0, 0, 190}));
  connect(D4.p, capacitor.n) annotation(Line(points = {{10, -60}, {40, -60}, {40, -10}}, color = {0, 0, 190}));
  connect(capacitor.p, load.p) annotation(Line(points = {{40, 10}, {70, 10}}, color = {0, 0, 190}));
  connect(capacitor.n, load.n) annotation(Line(points = {{40, -10}, {70, -10}}, color = {0, 0, 190}));
  connect(capacitor.n, ground.p) annotation(Line(points = {{40, -10}, {40, -80}}, color = {0, 0, 190}));
  annotation(
    experiment(StartTime = 0, StopTime = 0.1, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-90, -110}, {90, 90}})),
    Documentation(info = "<html>
<p>In each half wave two diodes conduct while the source's voltage is higher than that of the capacitor. The diodes
switch in pairs; see how <code>D1.i</code> and <code>D4.i</code> begin and end at the same instants.</p>
</html>"));
end Rectifier;
