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
  connect(R1.n, R2.p);
  connect(R1.n, R3.p);
  connect(R1.n, NC1.p);
  connect(R3.n, R4.p);
  connect(R3.n, R5.p);
  connect(R3.n, NC2.p);
  connect(R5.n, R6.p);
  connect(R5.n, NC3.p);
  annotation(
    experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-6));
end LadderNodeCut;
