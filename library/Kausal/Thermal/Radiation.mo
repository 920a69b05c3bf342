within Kausal.Thermal;
model Radiation "Heat exchange of two grey bodies by radiation"
  extends Interfaces.Element;
  parameter Units.RadiantConductance Gr = 1 "Net radiant conductance";
equation
  Q_flow = Gr*Constants.sigma*(a.T^4 - b.T^4);
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-80, -60}, {-50, 60}},
        lineColor = {190, 0, 0}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{50, -60}, {80, 60}},
        lineColor = {190, 0, 0}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Line(points = {{-40, 20}, {40, 20}}, color = {190, 0, 0}),
      Line(points = {{-40, -20}, {40, -20}}, color = {190, 0, 0}),
      Line(points = {{25, 30}, {40, 20}, {25, 10}}, color = {190, 0, 0}),
      Line(points = {{-25, -10}, {-40, -20}, {-25, -30}}, color = {190, 0, 0}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "Gr=%Gr")}),
    Documentation(info = "<html>
<p><code>Gr</code> is the area times a factor made of the emissivities and of how much of each other the bodies see;
for a small body in a large room it is area times emissivity.</p>
</html>"));
end Radiation;
