within Kausal.Translational;
model Fixed "A flange at rest"
  parameter Units.Position s0 = 0 "Position";
  Interfaces.Flange flange "The flange"
    annotation(Placement(transformation(extent = {{-10, -10}, {10, 10}})));
equation
  flange.s = s0;
  annotation(
    Icon(graphics = {
      Line(points = {{-60, -40}, {60, -40}}, color = {0, 110, 0}),
      Line(points = {{0, -40}, {0, -10}}, color = {0, 110, 0}),
      Line(points = {{-60, -60}, {-40, -40}}, color = {0, 110, 0}),
      Line(points = {{-20, -60}, {0, -40}}, color = {0, 110, 0}),
      Line(points = {{20, -60}, {40, -40}}, color = {0, 110, 0}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>A flange that does not move.</p>
</html>"));
end Fixed;
