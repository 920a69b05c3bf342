within Kausal.Examples;
model DoublePendulum "Two pendulums, one hanging from the other"
  extends Icons.Example;
  inner MultiBody.World world "Gravity"
    annotation(Placement(transformation(extent = {{-90, -10}, {-70, 10}})));
  MultiBody.Revolute joint1(n = {0, 1, 0}, q(start = 0, fixed = true), qd(start = 0, fixed = true)) "First joint"
    annotation(Placement(transformation(extent = {{-60, -10}, {-40, 10}})));
  MultiBody.Link rod1(r = {0.5, 0, 0}, m = 1, I_22 = 0.02, I_33 = 0.02) "First rod"
    annotation(Placement(transformation(extent = {{-30, -10}, {-10, 10}})));
  MultiBody.Revolute joint2(n = {0, 1, 0}, q(start = 0.5, fixed = true), qd(start = 0, fixed = true)) "Second joint"
    annotation(Placement(transformation(extent = {{0, -10}, {20, 10}})));
  MultiBody.Link rod2(r = {0.5, 0, 0}, m = 1, I_22 = 0.02, I_33 = 0.02) "Second rod"
    annotation(Placement(transformation(extent = {{30, -10}, {50, 10}})));
equation
  connect(world.frame, joint1.a) annotation(Line(points = {{-70, 0}, {-60, 0}}, color = {90, 80, 40}));
  connect(joint1.b, rod1.a) annotation(Line(points = {{-40, 0}, {-30, 0}}, color = {90, 80, 40}));
  connect(rod1.b, joint2.a) annotation(Line(points = {{-10, 0}, {0, 0}}, color = {90, 80, 40}));
  connect(joint2.b, rod2.a) annotation(Line(points = {{20, 0}, {30, 0}}, color = {90, 80, 40}));
  annotation(
    experiment(StartTime = 0, StopTime = 3, Tolerance = 1e-8),
    Diagram(coordinateSystem(extent = {{-100, -20}, {60, 30}})),
    Documentation(info = "<html>
<p>Chaotic after a few swings; the energy stays what it was.</p>
</html>"));
end DoublePendulum;
