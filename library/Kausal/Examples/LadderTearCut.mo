within Kausal.Examples;
model LadderTearCut "Ladder of six resistors, torn at one current"
  extends LadderBase;
  Electrical.Cuts.TearCut TC "The current of the source is assumed, the balance at the last node left over"
    annotation(Placement(transformation(extent = {{-62, 50}, {-42, 70}})));
equation
  connect(R1.n, TC.p);
  connect(TC.n, R2.p);
  connect(TC.n, R3.p);
  connect(R3.n, R4.p);
  connect(R3.n, R5.p);
  connect(R5.n, R6.p);
  connect(R5.n, TC.res);
  annotation(
    experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-6));
end LadderTearCut;
