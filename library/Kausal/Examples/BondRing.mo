within Kausal.Examples;
model BondRing "Bond graph with a ring of junctions and residual sinks"
  extends Icons.Example;
  BondGraph.Se source(E = 1) "Source of effort"
    annotation(Placement(transformation(origin = {0, -70}, extent = {{-10, -10}, {10, 10}}, rotation = 90)));
  BondGraph.Junction1 one0(n = 4) "Flow of the source"
    annotation(Placement(transformation(extent = {{-10, -50}, {10, -30}})));
  BondGraph.rSf sink1 "Residual sink for C2"
    annotation(Placement(transformation(extent = {{30, -70}, {50, -50}})));
  BondGraph.Junction0 zero1(n = 3) "Effort of C1"
    annotation(Placement(transformation(extent = {{-50, -10}, {-30, 10}})));
  BondGraph.Junction0 zero2(n = 3) "Effort of C2"
    annotation(Placement(transformation(extent = {{30, -10}, {50, 10}})));
  BondGraph.C C1(C = 1, e(start = 0, fixed = true)) "State"
    annotation(Placement(transformation(origin = {-80, 0}, extent = {{-10, -10}, {10, 10}}, rotation = 180)));
  BondGraph.C C2(C = 2) "Its effort is that of the source minus that of C1"
    annotation(Placement(transformation(extent = {{70, -10}, {90, 10}})));
  BondGraph.Junction1 one1(n = 3) "Flow of R1"
    annotation(Placement(transformation(extent = {{-50, 30}, {-30, 50}})));
  BondGraph.Junction1 one2(n = 3, direction = {1, -1, 1}) "Flow of R2"
    annotation(Placement(transformation(extent = {{30, 30}, {50, 50}})));
  BondGraph.R R1(R = 1) "First resistance"
    annotation(Placement(transformation(origin = {-80, 40}, extent = {{-10, -10}, {10, 10}}, rotation = 180)));
  BondGraph.R R2(R = 2) "Second resistance"
    annotation(Placement(transformation(extent = {{70, 30}, {90, 50}})));
  BondGraph.Sf inflow(F = 0.1) "Source of flow"
    annotation(Placement(transformation(origin = {-10, 80}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  BondGraph.Junction0 zero3(n = 4, direction = {1, 1, -1, -1}) "Closes the ring"
    annotation(Placement(transformation(extent = {{-10, 30}, {10, 50}})));
  BondGraph.rSe sink2 "Residual sink for the loop of R1 and R2"
    annotation(Placement(transformation(extent = {{20, 70}, {40, 90}})));
equation
  connect(source.p, one0.p[1]) annotation(Line(points = {{0, -60}, {0, -40}}, color = {110, 0, 130}));
  connect(one0.p[2], zero1.p[1])
    annotation(Line(points = {{0, -40}, {-20, -40}, {-20, 0}, {-40, 0}}, color = {110, 0, 130}));
  connect(one0.p[3], zero2.p[1])
    annotation(Line(points = {{0, -40}, {20, -40}, {20, 0}, {40, 0}}, color = {110, 0, 130}));
  connect(one0.p[4], sink1.p)
    annotation(Line(points = {{0, -40}, {15, -40}, {15, -60}, {30, -60}}, color = {110, 0, 130}));
  connect(zero1.p[2], C1.p) annotation(Line(points = {{-40, 0}, {-70, 0}}, color = {110, 0, 130}));
  connect(zero2.p[2], C2.p) annotation(Line(points = {{40, 0}, {70, 0}}, color = {110, 0, 130}));
  connect(zero1.p[3], one1.p[1]) annotation(Line(points = {{-40, 0}, {-40, 40}}, color = {110, 0, 130}));
  connect(one1.p[2], R1.p) annotation(Line(points = {{-40, 40}, {-70, 40}}, color = {110, 0, 130}));
  connect(one1.p[3], zero3.p[1]) annotation(Line(points = {{-40, 40}, {0, 40}}, color = {110, 0, 130}));
  connect(inflow.p, zero3.p[2]) annotation(Line(points = {{-10, 70}, {-10, 40}, {0, 40}}, color = {110, 0, 130}));
  connect(zero3.p[3], one2.p[1]) annotation(Line(points = {{0, 40}, {40, 40}}, color = {110, 0, 130}));
  connect(zero3.p[4], sink2.p)
    annotation(Line(points = {{0, 40}, {10, 40}, {10, 80}, {20, 80}}, color = {110, 0, 130}));
  connect(one2.p[2], R2.p) annotation(Line(points = {{40, 40}, {70, 40}}, color = {110, 0, 130}));
  connect(one2.p[3], zero2.p[3]) annotation(Line(points = {{40, 40}, {40, 0}}, color = {110, 0, 130}));
  annotation(
    experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-100, -90}, {100, 110}})),
    Documentation(info = "<html>
<p>The efforts of the two capacitances add up to that of the source, and the flows of the two resistances depend on
each other: two systems of equations, each torn by one residual sink. With <code>f1 = (E - R2*F)/(R1 + R2)</code>,
the flow of <code>R1</code>, the effort of <code>C1</code> grows at the constant rate <code>F/(C1 + C2)</code>.</p>
</html>"));
end BondRing;
