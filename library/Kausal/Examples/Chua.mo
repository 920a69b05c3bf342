within Kausal.Examples;
model Chua "An electrical circuit that behaves chaotically"
  extends Icons.Example;
  Electrical.Inductor inductor(L = 1/28, i(start = 0, fixed = true)) "Coil"
    annotation(Placement(transformation(origin = {-60, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Conductor coupling(G = 1) "Couples the two capacitors"
    annotation(Placement(transformation(extent = {{-10, 30}, {10, 50}})));
  Electrical.Capacitor C1(C = 1/15.6, v(start = 0.7, fixed = true)) "First capacitor"
    annotation(Placement(transformation(origin = {30, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Capacitor C2(C = 1, v(start = 0, fixed = true)) "Second capacitor"
    annotation(Placement(transformation(origin = {-30, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.NegativeResistor diode(Ga = -8/7, Gb = -5/7, Ve = 1) "Drives the circuit"
    annotation(Placement(transformation(origin = {60, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Ground ground "Zero potential"
    annotation(Placement(transformation(extent = {{-10, -90}, {10, -70}})));
equation
  connect(inductor.p, C2.p) annotation(Line(points = {{-60, 10}, {-30, 10}}, color = {0, 0, 190}));
  connect(C2.p, coupling.p) annotation(Line(points = {{-30, 10}, {-30, 40}, {-10, 40}}, color = {0, 0, 190}));
  connect(coupling.n, C1.p) annotation(Line(points = {{10, 40}, {30, 40}, {30, 10}}, color = {0, 0, 190}));
  connect(C1.p, diode.p) annotation(Line(points = {{30, 10}, {60, 10}}, color = {0, 0, 190}));
  connect(inductor.n, ground.p)
    annotation(Line(points = {{-60, -10}, {-60, -40}, {0, -40}, {0, -70}}, color = {0, 0, 190}));
  connect(C2.n, ground.p)
    annotation(Line(points = {{-30, -10}, {-30, -40}, {0, -40}, {0, -70}}, color = {0, 0, 190}));
  connect(C1.n, ground.p) annotation(Line(points = {{30, -10}, {30, -40}, {0, -40}, {0, -70}}, color = {0, 0, 190}));
  connect(diode.n, ground.p)
    annotation(Line(points = {{60, -10}, {60, -40}, {0, -40}, {0, -70}}, color = {0, 0, 190}));
  annotation(
    experiment(StartTime = 0, StopTime = 100, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-80, -100}, {80, 70}})),
    Documentation(info = "<html>
<p>The circuit of Chua in scaled units. Plot <code>C2.v</code> over <code>C1.v</code> to see the double scroll.</p>
</html>"));
end Chua;
