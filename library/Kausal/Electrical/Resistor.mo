within Kausal.Electrical;
model Resistor "Ideal resistor"
  extends Interfaces.OnePort;
  parameter Units.Resistance R = 1 "Resistance";
equation
  R*i = relax(p.v) - relax(n.v);
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {90, 0}}, color = {0, 0, 190}),
      Rectangle(extent = {{-70, -30}, {70, 30}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "R=%R")}),
    Documentation(info = "<html>
<p>Ohm's law <code>R*i = v</code>. The resistance may be zero (a short circuit) or negative.</p>
</html>"));
end Resistor;
