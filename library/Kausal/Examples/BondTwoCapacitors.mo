within Kausal.Examples;
model BondTwoCapacitors "Bond graph with two capacitances in parallel"
  extends Icons.Example;
  BondGraph.Se source(E = 1) "Source"
    annotation(Placement(transformation(extent = {{-90, -10}, {-70, 10}})));
  BondGraph.Junction1 one(n = 3) "Common current"
    annotation(Placement(transformation(extent = {{-60, -10}, {-40, 10}})));
  BondGraph.R R(R = 10) "Resistor"
    annotation(Placement(transformation(origin = {-50, 40}, extent = {{-10, -10}, {10, 10}}, rotation = 90)));
  BondGraph.Junction0 zero(n = 3) "Common voltage"
    annotation(Placement(transformation(extent = {{-20, -10}, {0, 10}})));
  BondGraph.C C1(C = 0.01, e(start = 0, fixed = true)) "First capacitor"
    annotation(Placement(transformation(origin = {-10, 40}, extent = {{-10, -10}, {10, 10}}, rotation = 90)));
  BondGraph.C C2(C = 0.02) "Second capacitor; its voltage is that of the first"
    annotation(Placement(transformation(extent = {{20, -10}, {40, 10}})));
equation
  connect(source.p, one.p[1]) annotation(Line(points = {{-70, 0}, {-50, 0}}, color = {110, 0, 130}));
  connect(R.p, one.p[2]) annotation(Line(points = {{-50, 30}, {-50, 0}}, color = {110, 0, 130}));
  connect(one.p[3], zero.p[1]) annotation(Line(points = {{-50, 0}, {-10, 0}}, color = {110, 0, 130}));
  connect(zero.p[2], C1.p) annotation(Line(points = {{-10, 0}, {-10, 30}}, color = {110, 0, 130}));
  connect(zero.p[3], C2.p) annotation(Line(points = {{-10, 0}, {20, 0}}, color = {110, 0, 130}));
  annotation(
    experiment(StartTime = 0, StopTime = 2, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-100, -20}, {50, 70}})),
    Documentation(info = "<html>
<p>The two capacitances act as one of 0.03: the voltage is <code>1 - exp(-t/0.3)</code>.</p>
</html>"));
end BondTwoCapacitors;
