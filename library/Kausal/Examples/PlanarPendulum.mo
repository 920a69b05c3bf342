within Kausal.Examples;
model PlanarPendulum "A pendulum in a plane"
  extends Icons.Example;
  inner MultiBody.Planar.World world "Gravity"
    annotation(Placement(transformation(extent = {{-70, -10}, {-50, 10}})));
  MultiBody.Planar.Revolute joint(q(start = 0, fixed = true), qd(start = 0, fixed = true)) "Starts horizontally"
    annotation(Placement(transformation(extent = {{-30, -10}, {-10, 10}})));
  MultiBody.Planar.Link rod(r = {1, 0}, m = 1, I = 1/12) "Slender rod"
    annotation(Placement(transformation(extent = {{10, -10}, {30, 10}})));
equation
  connect(world.frame, joint.a) annotation(Line(points = {{-50, 0}, {-30, 0}}, color = {90, 80, 40}));
  connect(joint.b, rod.a) annotation(Line(points = {{-10, 0}, {10, 0}}, color = {90, 80, 40}));
  annotation(
    experiment(StartTime = 0, StopTime = 5, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-80, -20}, {40, 30}})),
    Documentation(info = "<html>
<p>The same motion as that of <code>Pendulum</code>, with the other sign of the angle.</p>
</html>"));
end PlanarPendulum;
