within Kausal.Electrical;
model VariableResistor "Ideal resistor with the resistance as input"
  extends Interfaces.OnePort;
  Blocks.Interfaces.RealInput R(unit = "Ohm") "Resistance"
    annotation(Placement(transformation(extent = {{-10, 100}, {10, 120}})));
equation
  v = R*i;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {90, 0}}, color = {0, 0, 190}),
      Rectangle(extent = {{-70, -30}, {70, 30}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{0, 90}, {0, 30}}, color = {0, 0, 190}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>A resistor whose resistance is a signal; it must not be negative.</p>
</html>"));
end VariableResistor;
