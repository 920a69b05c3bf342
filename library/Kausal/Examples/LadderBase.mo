within Kausal.Examples;
partial model LadderBase "The components of the ladder, the shunts connected to the source"
  extends Icons.Example;
  Electrical.Sources.ConstantVoltage U0(V = 10) "Source"
    annotation(Placement(transformation(origin = {-90, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Resistor R1(R = 100) "Series"
    annotation(Placement(transformation(extent = {{-82, 30}, {-62, 50}})));
  Electrical.Resistor R2(R = 200) "Shunt"
    annotation(Placement(transformation(origin = {-40, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Resistor R3(R = 300) "Series"
    annotation(Placement(transformation(extent = {{-32, 30}, {-12, 50}})));
  Electrical.Resistor R4(R = 400) "Shunt"
    annotation(Placement(transformation(origin = {10, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Resistor R5(R = 500) "Series"
    annotation(Placement(transformation(extent = {{18, 30}, {38, 50}})));
  Electrical.Resistor R6(R = 600) "Shunt at the end"
    annotation(Placement(transformation(origin = {60, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Ground ground "Zero potential"
    annotation(Placement(transformation(extent = {{-100, -70}, {-80, -50}})));
equation
  connect(U0.p, R1.p) annotation(Line(points = {{-90, 10}, {-90, 40}, {-82, 40}}, color = {0, 0, 190}));
  connect(R2.n, U0.n) annotation(Line(points = {{-40, -10}, {-90, -10}}, color = {0, 0, 190}));
  connect(R4.n, U0.n) annotation(Line(points = {{10, -10}, {-90, -10}}, color = {0, 0, 190}));
  connect(R6.n, U0.n) annotation(Line(points = {{60, -10}, {-90, -10}}, color = {0, 0, 190}));
  connect(U0.n, ground.p) annotation(Line(points = {{-90, -10}, {-90, -50}}, color = {0, 0, 190}));
  annotation(
    Diagram(coordinateSystem(extent = {{-110, -80}, {80, 90}})),
    Documentation(info = "<html>
<p>Six resistors and their source; the nodes between the resistors are open. What extends it closes them, with cuts
where the circuit is to be torn.</p>
</html>"));
end LadderBase;
