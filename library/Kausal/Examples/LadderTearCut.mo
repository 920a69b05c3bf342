within Kausal.Examples;
model LadderTearCut "Ladder of six resistors, torn at one current"
  extends LadderBase;
  Electrical.Cuts.TearCut TC "The current of the source is assumed, the balance at the last node left over"
    annotation(Placement(transformation(extent = {{-62, 50}, {-42, 70}})));
equation
  connect(R1.n, TC.p) annotation(Line(points = {{-62, 40}, {-62, 60}}, color = {0, 0, 190}));
  connect(TC.n, R2.p) annotation(Line(points = {{-42, 60}, {-40, 60}, {-40, 10}}, color = {0, 0, 190}));
  connect(TC.n, R3.p) annotation(Line(points = {{-42, 60}, {-37, 60}, {-37, 40}, {-32, 40}}, color = {0, 0, 190}));
  connect(R3.n, R4.p) annotation(Line(points = {{-12, 40}, {10, 40}, {10, 10}}, color = {0, 0, 190}));
  connect(R3.n, R5.p) annotation(Line(points = {{-12, 40}, {18, 40}}, color = {0, 0, 190}));
  connect(R5.n, R6.p) annotation(Line(points = {{38, 40}, {60, 40}, {60, 10}}, color = {0, 0, 190}));
  connect(R5.n, TC.res) annotation(Line(points = {{38, 40}, {-52, 40}, {-52, 50}}, color = {0, 0, 190}));
  annotation(
    experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-110, -80}, {80, 90}})),
    Documentation(info = "<html>
<p>The ladder torn at a single current: with it known, everything else follows one after the other, and the balance of
the last node is left over. See <code>LadderMeshCut</code>.</p>
</html>"));
end LadderTearCut;
