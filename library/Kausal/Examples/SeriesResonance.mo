within Kausal.Examples;
model SeriesResonance "A resonant circuit swings out"
  extends Icons.Example;
  Electrical.Sources.StepVoltage source(V = 1, startTime = 0.001) "Switched on after a millisecond"
    annotation(Placement(transformation(origin = {-60, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Resistor resistor(R = 10) "Damps"
    annotation(Placement(transformation(extent = {{-40, 30}, {-20, 50}})));
  Electrical.Inductor inductor(L = 0.01, i(start = 0, fixed = true)) "Stores energy by its current"
    annotation(Placement(transformation(extent = {{0, 30}, {20, 50}})));
  Electrical.Capacitor capacitor(C = 1e-6, v(start = 0, fixed = true)) "Stores energy by its voltage"
    annotation(Placement(transformation(origin = {50, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Ground ground "Zero potential"
    annotation(Placement(transformation(extent = {{-70, -60}, {-50, -40}})));
equation
  connect(source.p, resistor.p) annotation(Line(points = {{-60, 10}, {-60, 40}, {-40, 40}}, color = {0, 0, 190}));
  connect(resistor.n, inductor.p) annotation(Line(points = {{-20, 40}, {0, 40}}, color = {0, 0, 190}));
  connect(inductor.n, capacitor.p) annotation(Line(points = {{20, 40}, {50, 40}, {50, 10}}, color = {0, 0, 190}));
  connect(capacitor.n, source.n) annotation(Line(points = {{50, -10}, {-60, -10}}, color = {0, 0, 190}));
  connect(source.n, ground.p) annotation(Line(points = {{-60, -10}, {-60, -40}}, color = {0, 0, 190}));
  annotation(
    experiment(StartTime = 0, StopTime = 0.01, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-80, -70}, {70, 70}})),
    Documentation(info = "<html>
<p>The capacitor's voltage swings around 1 V with the damping rate <code>R/(2*L)</code> = 500/s and the angular
frequency <code>sqrt(1/(L*C) - (R/(2*L))^2)</code>.</p>
</html>"));
end SeriesResonance;
