within Kausal.Examples;
model LadderMeshCut "Ladder of six resistors, torn at three meshes"
  extends LadderBase;
  Electrical.Cuts.MeshCut MC1 "Current of the first mesh"
    annotation(Placement(transformation(extent = {{-62, 50}, {-42, 70}})));
  Electrical.Cuts.MeshCut MC2 "Current of the second mesh"
    annotation(Placement(transformation(extent = {{-12, 50}, {8, 70}})));
  Electrical.Cuts.MeshCut MC3 "Current of the third mesh"
    annotation(Placement(transformation(extent = {{38, 50}, {58, 70}})));
equation
  connect(R1.n, MC1.p) annotation(Line(points = {{-62, 40}, {-62, 60}}, color = {0, 0, 190}));
  connect(MC1.n, R2.p) annotation(Line(points = {{-42, 60}, {-40, 60}, {-40, 10}}, color = {0, 0, 190}));
  connect(MC1.n, R3.p) annotation(Line(points = {{-42, 60}, {-37, 60}, {-37, 40}, {-32, 40}}, color = {0, 0, 190}));
  connect(R3.n, MC2.p) annotation(Line(points = {{-12, 40}, {-12, 60}}, color = {0, 0, 190}));
  connect(MC2.n, R4.p) annotation(Line(points = {{8, 60}, {10, 60}, {10, 10}}, color = {0, 0, 190}));
  connect(MC2.n, R5.p) annotation(Line(points = {{8, 60}, {13, 60}, {13, 40}, {18, 40}}, color = {0, 0, 190}));
  connect(R5.n, MC3.p) annotation(Line(points = {{38, 40}, {38, 60}}, color = {0, 0, 190}));
  connect(MC3.n, R6.p) annotation(Line(points = {{58, 60}, {60, 60}, {60, 10}}, color = {0, 0, 190}));
  annotation(
    experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-110, -80}, {80, 90}})),
    Documentation(info = "<html>
<p>The ladder torn at the currents of its meshes, by components that declare them to be known. Elmqvist and Otter,
<i>Methods for tearing systems of equations in object-oriented modeling</i>.</p>
</html>"));
end LadderMeshCut;
