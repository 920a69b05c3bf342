within Kausal.Examples;
model Ladder "Ladder of six resistors"
  extends Icons.Example;
  Electrical.Sources.ConstantVoltage U0(V = 10) "Source"
    annotation(Placement(transformation(origin = {-90, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Resistor R1(R = 100) "Series"
    annotation(Placement(transformation(extent = {{-70, 30}, {-50, 50}})));
  Electrical.Resistor R2(R = 200) "Shunt"
    annotation(Placement(transformation(origin = {-40, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Resistor R3(R = 300) "Series"
    annotation(Placement(transformation(extent = {{-20, 30}, {0, 50}})));
  Electrical.Resistor R4(R = 400) "Shunt"
    annotation(Placement(transformation(origin = {10, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Resistor R5(R = 500) "Series"
    annotation(Placement(transformation(extent = {{30, 30}, {50, 50}})));
  Electrical.Resistor R6(R = 600) "Shunt at the end"
    annotation(Placement(transformation(origin = {60, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Ground ground "Zero potential"
    annotation(Placement(transformation(extent = {{-100, -70}, {-80, -50}})));
equation
  connect(U0.p, R1.p) annotation(Line(points = {{-90, 10}, {-90, 40}, {-70, 40}}, color = {0, 0, 190}));
  connect(R1.n, R2.p) annotation(Line(points = {{-50, 40}, {-40, 40}, {-40, 10}}, color = {0, 0, 190}));
  connect(R1.n, R3.p) annotation(Line(points = {{-50, 40}, {-20, 40}}, color = {0, 0, 190}));
  connect(R3.n, R4.p) annotation(Line(points = {{0, 40}, {10, 40}, {10, 10}}, color = {0, 0, 190}));
  connect(R3.n, R5.p) annotation(Line(points = {{0, 40}, {30, 40}}, color = {0, 0, 190}));
  connect(R5.n, R6.p) annotation(Line(points = {{50, 40}, {60, 40}, {60, 10}}, color = {0, 0, 190}));
  connect(R2.n, U0.n) annotation(Line(points = {{-40, -10}, {-90, -10}}, color = {0, 0, 190}));
  connect(R4.n, U0.n) annotation(Line(points = {{10, -10}, {-90, -10}}, color = {0, 0, 190}));
  connect(R6.n, U0.n) annotation(Line(points = {{60, -10}, {-90, -10}}, color = {0, 0, 190}));
  connect(U0.n, ground.p) annotation(Line(points = {{-90, -10}, {-90, -50}}, color = {0, 0, 190}));
  annotation(
    experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-110, -80}, {80, 90}})),
    Documentation(info = "<html>
<p>The circuit by which Elmqvist and Otter explain tearing. Folding the ladder up from its end gives the current of
the source: <code>R1 + R2 // (R3 + R4 // (R5 + R6))</code> is what it sees.</p>
</html>"));
end Ladder;
