within Kausal.MultiBody;
model Universal "Joint with two axes of rotation that intersect (cardan joint)"
  extends Interfaces.TwoFrames;
  parameter Real n1[3] = {1, 0, 0} "First axis, fixed in a" annotation(Evaluate = true);
  parameter Real n2[3] = {0, 1, 0} "Second axis, fixed in b" annotation(Evaluate = true);
  parameter Boolean state = true "Are the angles and their velocities integrated? See the package MultiBody"
    annotation(Evaluate = true);
  Revolute first(n = n1, state = state) "First axis"
    annotation(Placement(transformation(extent = {{-50, -10}, {-30, 10}})));
  Revolute second(n = n2, state = state) "Second axis"
    annotation(Placement(transformation(extent = {{30, -10}, {50, 10}})));
equation
  connect(a, first.a) annotation(Line(points = {{-100, 0}, {-50, 0}}, color = {90, 80, 40}));
  connect(first.b, second.a) annotation(Line(points = {{-30, 0}, {30, 0}}, color = {90, 80, 40}));
  connect(second.b, b) annotation(Line(points = {{50, 0}, {100, 0}}, color = {90, 80, 40}));
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-40, 0}}, color = {90, 80, 40}, thickness = 0.5),
      Line(points = {{40, 0}, {90, 0}}, color = {90, 80, 40}, thickness = 0.5),
      Line(points = {{-40, 40}, {-40, -40}}, color = {90, 80, 40}),
      Line(points = {{40, 20}, {40, -20}}, color = {90, 80, 40}),
      Line(points = {{-40, 40}, {0, 0}, {-40, -40}}, color = {90, 80, 40}),
      Line(points = {{40, 20}, {0, 0}, {40, -20}}, color = {90, 80, 40}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Diagram(coordinateSystem(extent = {{-100, -100}, {100, 100}})),
    Documentation(info = "<html>
<p>Two revolute joints with axes that intersect, one after the other.</p>
</html>"));
end Universal;
