within Kausal.Electrical;
model IdealThyristor "Ideal thyristor"
  extends Interfaces.Switching;
  Blocks.Interfaces.BooleanInput fire "true: the thyristor may begin to conduct"
    annotation(Placement(transformation(extent = {{90, 100}, {110, 120}})));
equation
  off = s < 0 or pre(off) and not fire;
  annotation(
    Icon(graphics = {
      Polygon(points = {{30, 0}, {-30, 40}, {-30, -40}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-90, 0}, {90, 0}}, color = {0, 0, 190}),
      Line(points = {{30, 40}, {30, -40}}, color = {0, 0, 190}),
      Line(points = {{30, 0}, {100, 70}, {100, 90}}, color = {0, 0, 190}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>Once fired, the thyristor conducts until its current becomes negative.</p>
</html>"));
end IdealThyristor;
