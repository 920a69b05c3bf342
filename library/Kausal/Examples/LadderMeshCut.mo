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
  connect(R1.n, MC1.p);
  connect(MC1.n, R2.p);
  connect(MC1.n, R3.p);
  connect(R3.n, MC2.p);
  connect(MC2.n, R4.p);
  connect(MC2.n, R5.p);
  connect(R5.n, MC3.p);
  connect(MC3.n, R6.p);
  annotation(
    experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-6));
end LadderMeshCut;
