within Kausal.Examples;
model Pendulum "A pendulum in three dimensions"
  extends Icons.Example;
  inner MultiBody.World world "Gravity points downwards"
    annotation(Placement(transformation(extent = {{-70, -10}, {-50, 10}})));
  MultiBody.Revolute joint(n = {0, 1, 0}, q(start = 0, fixed = true), qd(start = 0, fixed = true))
    "Starts horizontally"
    annotation(Placement(transformation(extent = {{-30, -10}, {-10, 10}})));
  MultiBody.Link rod(r = {1, 0, 0}, m = 1, I_22 = 1/12, I_33 = 1/12) "Slender rod"
    annotation(Placement(transformation(extent = {{10, -10}, {30, 10}})));
equation
  connect(world.frame, joint.a) annotation(Line(points = {{-50, 0}, {-30, 0}}, color = {90, 80, 40}));
  connect(joint.b, rod.a) annotation(Line(points = {{-10, 0}, {10, 0}}, color = {90, 80, 40}));
  annotation(
    experiment(StartTime = 0, StopTime = 5, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-80, -20}, {40, 30}})),
    Documentation(info = "<html>
<p>The rod falls with <code>qdd = 3*g/(2*L)*cos(q)</code>; its speed at the lowest point is
<code>sqrt(3*g/L)</code>.</p>
</html>"));
end Pendulum;
