within Kausal.MultiBody.Planar;
model Fixed "A frame at rest"
  parameter Units.Position r[2] = zeros(2) "Position";
  parameter Units.Angle phi = 0 "Angle";
  Interfaces.Frame frame "The frame"
    annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
equation
  frame.r = r;
  frame.phi = phi;
  annotation(
    Icon(graphics = {
      Line(points = {{60, -60}, {60, 60}}, color = {90, 80, 40}),
      Line(points = {{60, 0}, {90, 0}}, color = {90, 80, 40}),
      Line(points = {{40, -60}, {60, -40}}, color = {90, 80, 40}),
      Line(points = {{40, -20}, {60, 0}}, color = {90, 80, 40}),
      Line(points = {{40, 20}, {60, 40}}, color = {90, 80, 40}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>A frame that is fixed in the world.</p>
</html>"));
end Fixed;
