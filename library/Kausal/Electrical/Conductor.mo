within Kausal.Electrical;
model Conductor "Ideal conductor"
  extends Interfaces.OnePort;
  parameter Units.Conductance G = 1 "Conductance";
equation
  i = G*(relax(p.v) - relax(n.v));
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {90, 0}}, color = {0, 0, 190}),
      Rectangle(extent = {{-70, -30}, {70, 30}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "G=%G")}),
    Documentation(info = "<html>
<p>Ohm's law <code>i = G*v</code>. The conductance may be zero (an open circuit) or negative.</p>
</html>"));
end Conductor;
