within Kausal.Electrical;
model Ground "Node with potential zero"
  Interfaces.Pin p "The grounded pin"
    annotation(Placement(transformation(extent = {{-10, 90}, {10, 110}})));
equation
  p.v = 0;
  annotation(
    Icon(graphics = {
      Line(points = {{0, 90}, {0, 20}}, color = {0, 0, 190}),
      Line(points = {{-60, 20}, {60, 20}}, color = {0, 0, 190}),
      Line(points = {{-40, -5}, {40, -5}}, color = {0, 0, 190}),
      Line(points = {{-20, -30}, {20, -30}}, color = {0, 0, 190}),
      Text(extent = {{-150, -45}, {150, -85}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>Every circuit needs at least one: potentials have a meaning only relative to it.</p>
</html>"));
end Ground;
