within Kausal.Examples;
model ActiveFilter "Low pass filter with an operational amplifier"
  extends Icons.Example;
  Electrical.Sources.StepVoltage source(V = 1, startTime = 0.001) "Input"
    annotation(Placement(transformation(origin = {-80, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Resistor R1(R = 1000) "Input resistor"
    annotation(Placement(transformation(extent = {{-60, 30}, {-40, 50}})));
  Electrical.Resistor R2(R = 2000) "Feedback resistor"
    annotation(Placement(transformation(extent = {{-10, 70}, {10, 90}})));
  Electrical.Capacitor C(C = 1e-6, v(start = 0, fixed = true)) "Feedback capacitor"
    annotation(Placement(transformation(extent = {{-10, 50}, {10, 70}})));
  Electrical.IdealOpAmp amplifier "Keeps its input voltage at zero"
    annotation(Placement(transformation(extent = {{-10, 10}, {10, 30}})));
  Electrical.Resistor load(R = 10000) "Load"
    annotation(Placement(transformation(origin = {50, -10}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Ground ground "Zero potential"
    annotation(Placement(transformation(extent = {{-90, -70}, {-70, -50}})));
equation
  connect(source.p, R1.p) annotation(Line(points = {{-80, 10}, {-80, 40}, {-60, 40}}, color = {0, 0, 190}));
  connect(R1.n, amplifier.n1)
    annotation(Line(points = {{-40, 40}, {-25, 40}, {-25, 15}, {-10, 15}}, color = {0, 0, 190}));
  connect(R1.n, R2.p) annotation(Line(points = {{-40, 40}, {-25, 40}, {-25, 80}, {-10, 80}}, color = {0, 0, 190}));
  connect(R1.n, C.p) annotation(Line(points = {{-40, 40}, {-25, 40}, {-25, 60}, {-10, 60}}, color = {0, 0, 190}));
  connect(R2.n, amplifier.p2) annotation(Line(points = {{10, 80}, {10, 25}}, color = {0, 0, 190}));
  connect(C.n, amplifier.p2) annotation(Line(points = {{10, 60}, {10, 25}}, color = {0, 0, 190}));
  connect(amplifier.p2, load.p) annotation(Line(points = {{10, 25}, {50, 25}, {50, 0}}, color = {0, 0, 190}));
  connect(amplifier.p1, ground.p) annotation(Line(points = {{-10, 25}, {-80, 25}, {-80, -50}}, color = {0, 0, 190}));
  connect(amplifier.n2, ground.p) annotation(Line(points = {{10, 15}, {-80, 15}, {-80, -50}}, color = {0, 0, 190}));
  connect(load.n, ground.p)
    annotation(Line(points = {{50, -20}, {50, -35}, {-80, -35}, {-80, -50}}, color = {0, 0, 190}));
  connect(source.n, ground.p) annotation(Line(points = {{-80, -10}, {-80, -50}}, color = {0, 0, 190}));
  annotation(
    experiment(StartTime = 0, StopTime = 0.02, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-100, -80}, {70, 110}})),
    Documentation(info = "<html>
<p>After the step the output is <code>-R2/R1*(1 - exp(-t/(R2*C)))</code>.</p>
</html>"));
end ActiveFilter;
