within Kausal.Examples;
model LadderNodeCut "Ladder of six resistors, torn at three nodes"
  extends LadderBase;
  Electrical.Cuts.NodeCut NC1 "Potential of the first node"
    annotation(Placement(transformation(extent = {{-50, 50}, {-30, 70}})));
  Electrical.Cuts.NodeCut NC2 "Potential of the second node"
    annotation(Placement(transformation(extent = {{0, 50}, {20, 70}})));
  Electrical.Cuts.NodeCut NC3 "Potential of the third node"
    annotation(Placement(transformation(extent = {{50, 50}, {70, 70}})));
equation
  connect(R1.n, R2.p) annotation(Line(points = {{-62, 40}, {-40, 40}, {-40, 10}}, color = {0, 0, 190}));
  connect(R1.n, R3.p) annotation(Line(points = {{-62, 40}, {-32, 40}}, color = {0, 0, 190}));
  connect(R1.n, NC1.p) annotation(Line(points = {{-62, 40}, {-40, 40}, {-40, 70}}, color = {0, 0, 190}));
  connect(R3.n, R4.p) annotation(Line(points = {{-12, 40}, {10, 40}, {10, 10}}, color = {0, 0, 190}));
  connect(R3.n, R5.p) annotation(Line(points = {{-12, 40}, {18, 40}}, color = {0, 0, 190}));
  connect(R3.n, NC2.p) annotation(Line(points = {{-12, 40}, {10, 40}, {10, 70}}, color = {0, 0, 190}));
  connect(R5.n, R6.p) annotation(Line(points = {{38, 40}, {60, 40}, {60, 10}}, color = {0, 0, 190}));
  connect(R5.n, NC3.p) annotation(Line(points = {{38, 40}, {60, 40}, {60, 70}}, color = {0, 0, 190}));
  annotation(
    experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-110, -80}, {80, 90}})),
    Documentation(info = "<html>
<p>The ladder torn at the potentials of its nodes, by components that declare them to be known. See
<code>LadderMeshCut</code>.</p>
</html>"));
end LadderNodeCut;
