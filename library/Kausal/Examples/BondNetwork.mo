within Kausal.Examples;
model BondNetwork "Bond graph with five capacitances and residual sinks"
  extends Icons.Example;
  BondGraph.Se source(E = 1) "Source"
    annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
  BondGraph.Junction1 one1(n = 3) "Flow of the source"
    annotation(Placement(transformation(extent = {{-80, -10}, {-60, 10}})));
  BondGraph.R R(R = 1) "Resistance"
    annotation(Placement(transformation(origin = {-70, 40}, extent = {{-10, -10}, {10, 10}}, rotation = 90)));
  BondGraph.Junction0 zero1(n = 3) "Effort of C1"
    annotation(Placement(transformation(extent = {{-50, -10}, {-30, 10}})));
  BondGraph.C C1(C = 1, e(start = 0, fixed = true)) "State"
    annotation(Placement(transformation(origin = {-40, 40}, extent = {{-10, -10}, {10, 10}}, rotation = 90)));
  BondGraph.Junction1 one2(n = 4) "Flow of C2"
    annotation(Placement(transformation(extent = {{-20, -10}, {0, 10}})));
  BondGraph.C C2(C = 2, e(start = 0, fixed = true)) "State"
    annotation(Placement(transformation(origin = {-10, 40}, extent = {{-10, -10}, {10, 10}}, rotation = 90)));
  BondGraph.rSf sink1 "Residual sink for C3"
    annotation(Placement(transformation(origin = {-10, -40}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  BondGraph.Junction0 zero2(n = 3) "Effort of C3"
    annotation(Placement(transformation(extent = {{10, -10}, {30, 10}})));
  BondGraph.C C3(C = 3) "Dependent"
    annotation(Placement(transformation(origin = {20, 40}, extent = {{-10, -10}, {10, 10}}, rotation = 90)));
  BondGraph.Junction1 one3(n = 4) "Flow of C4 and C5"
    annotation(Placement(transformation(extent = {{40, -10}, {60, 10}})));
  BondGraph.C C4(C = 4, e(start = 0, fixed = true)) "State"
    annotation(Placement(transformation(origin = {50, 40}, extent = {{-10, -10}, {10, 10}}, rotation = 90)));
  BondGraph.C C5(C = 5) "Dependent"
    annotation(Placement(transformation(extent = {{80, -10}, {100, 10}})));
  BondGraph.rSf sink2 "Residual sink for C5"
    annotation(Placement(transformation(origin = {50, -40}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
equation
  connect(source.p, one1.p[1]) annotation(Line(points = {{-90, 0}, {-70, 0}}, color = {110, 0, 130}));
  connect(R.p, one1.p[2]) annotation(Line(points = {{-70, 30}, {-70, 0}}, color = {110, 0, 130}));
  connect(one1.p[3], zero1.p[1]) annotation(Line(points = {{-70, 0}, {-40, 0}}, color = {110, 0, 130}));
  connect(zero1.p[2], C1.p) annotation(Line(points = {{-40, 0}, {-40, 30}}, color = {110, 0, 130}));
  connect(zero1.p[3], one2.p[1]) annotation(Line(points = {{-40, 0}, {-10, 0}}, color = {110, 0, 130}));
  connect(one2.p[2], C2.p) annotation(Line(points = {{-10, 0}, {-10, 30}}, color = {110, 0, 130}));
  connect(one2.p[3], sink1.p) annotation(Line(points = {{-10, 0}, {-10, -30}}, color = {110, 0, 130}));
  connect(one2.p[4], zero2.p[1]) annotation(Line(points = {{-10, 0}, {20, 0}}, color = {110, 0, 130}));
  connect(zero2.p[2], C3.p) annotation(Line(points = {{20, 0}, {20, 30}}, color = {110, 0, 130}));
  connect(zero2.p[3], one3.p[1]) annotation(Line(points = {{20, 0}, {50, 0}}, color = {110, 0, 130}));
  connect(one3.p[2], C4.p) annotation(Line(points = {{50, 0}, {50, 30}}, color = {110, 0, 130}));
  connect(one3.p[3], sink2.p) annotation(Line(points = {{50, 0}, {50, -30}}, color = {110, 0, 130}));
  connect(one3.p[4], C5.p) annotation(Line(points = {{50, 0}, {80, 0}}, color = {110, 0, 130}));
  annotation(
    experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-120, -60}, {110, 70}})),
    Documentation(info = "<html>
<p>The bond graph of Borutzky and Cellier. The efforts fulfil <code>C1.e = C2.e + C3.e</code> and <code>C3.e = C4.e +
C5.e</code>, so that only three of the five are states. In the end <code>C1.e</code> is 1, and the others have
divided it according to their capacitances.</p>
</html>"));
end BondNetwork;
