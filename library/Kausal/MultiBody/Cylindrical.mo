within Kausal.MultiBody;
model Cylindrical "Rotation and translation along the same axis"
  extends Interfaces.TwoFrames;
  parameter Real n[3] = {0, 0, 1} "Axis" annotation(Evaluate = true);
  parameter Boolean state = true "Are the coordinates and their velocities integrated? See the package MultiBody"
    annotation(Evaluate = true);
  Prismatic slide(n = n, state = state) "Translation"
    annotation(Placement(transformation(extent = {{-50, -10}, {-30, 10}})));
  Revolute turn(n = n, state = state) "Rotation"
    annotation(Placement(transformation(extent = {{30, -10}, {50, 10}})));
equation
  connect(a, slide.a) annotation(Line(points = {{-100, 0}, {-50, 0}}, color = {90, 80, 40}));
  connect(slide.b, turn.a) annotation(Line(points = {{-30, 0}, {30, 0}}, color = {90, 80, 40}));
  connect(turn.b, b) annotation(Line(points = {{50, 0}, {100, 0}}, color = {90, 80, 40}));
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-50, 0}}, color = {90, 80, 40}, thickness = 0.5),
      Line(points = {{30, 0}, {90, 0}}, color = {90, 80, 40}, thickness = 0.5),
      Rectangle(extent = {{-50, -40}, {30, 40}},
        lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{-20, -15}, {60, 15}},
        lineColor = {90, 80, 40}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Diagram(coordinateSystem(extent = {{-100, -100}, {100, 100}})),
    Documentation(info = "<html>
<p>A prismatic and a revolute joint with the same axis, one after the other.</p>
</html>"));
end Cylindrical;
