within Kausal.Examples;
model TransmissionLine "A pulse runs along a line of coils and capacitors"
  extends Icons.Example;
  parameter Integer n = 30 "Number of sections";
  parameter Units.Inductance L = 1e-3 "Inductance of a section";
  parameter Units.Capacitance C = 1e-9 "Capacitance of a section";
  Electrical.Sources.PulseVoltage source(V = 1, period = 1, width = 4e-5, startTime = 1e-6) "One short pulse"
    annotation(Placement(transformation(origin = {-90, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Resistor matched(R = sqrt(L/C)) "Matched source"
    annotation(Placement(transformation(extent = {{-70, 30}, {-50, 50}})));
  Electrical.Inductor coil[n](each L = L, each i(start = 0, fixed = true)) "Coils"
    annotation(Placement(transformation(extent = {{-30, 30}, {-10, 50}})));
  Electrical.Capacitor capacitor[n](each C = C, each v(start = 0, fixed = true)) "Capacitors"
    annotation(Placement(transformation(origin = {10, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Resistor load(R = sqrt(L/C)) "Matched load: nothing is reflected"
    annotation(Placement(transformation(origin = {60, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Ground ground "Zero potential"
    annotation(Placement(transformation(extent = {{-100, -70}, {-80, -50}})));
equation
  connect(source.p, matched.p) annotation(Line(points = {{-90, 10}, {-90, 40}, {-70, 40}}, color = {0, 0, 190}));
  connect(matched.n, coil[1].p) annotation(Line(points = {{-50, 40}, {-30, 40}}, color = {0, 0, 190}));
  for i in 1:n loop
    connect(coil[i].n, capacitor[i].p)
      annotation(Line(points = {{-10, 40}, {10, 40}, {10, 10}}, color = {0, 0, 190}));
    connect(capacitor[i].n, source.n) annotation(Line(points = {{10, -10}, {-90, -10}}, color = {0, 0, 190}));
  end for;
  for i in 1:n - 1 loop
    connect(coil[i].n, coil[i + 1].p) annotation(Line(points = {{-10, 40}, {-30, 40}}, color = {0, 0, 190}));
  end for;
  connect(coil[n].n, load.p) annotation(Line(points = {{-10, 40}, {60, 40}, {60, 10}}, color = {0, 0, 190}));
  connect(load.n, source.n) annotation(Line(points = {{60, -10}, {-90, -10}}, color = {0, 0, 190}));
  connect(source.n, ground.p) annotation(Line(points = {{-90, -10}, {-90, -50}}, color = {0, 0, 190}));
  annotation(
    experiment(StartTime = 0, StopTime = 1e-4, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-110, -80}, {80, 70}})),
    Documentation(info = "<html>
<p>Each section delays the pulse by <code>sqrt(L*C)</code> = 1 microsecond; half of the voltage arrives at the load
after 30 of them.</p>
</html>"));
end TransmissionLine;
