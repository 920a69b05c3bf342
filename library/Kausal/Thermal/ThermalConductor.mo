within Kausal.Thermal;
model ThermalConductor "Heat conduction without storage"
  extends Interfaces.Element;
  parameter Units.ThermalConductance G = 1 "Thermal conductance";
equation
  Q_flow = G*dT;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {90, 0}}, color = {190, 0, 0}),
      Rectangle(extent = {{-60, -50}, {60, 50}},
        lineColor = {190, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-40, -50}, {-40, 50}}, color = {190, 0, 0}),
      Line(points = {{0, -50}, {0, 50}}, color = {190, 0, 0}),
      Line(points = {{40, -50}, {40, 50}}, color = {190, 0, 0}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "G=%G")}),
    Documentation(info = "<html>
<p><code>Q_flow = G*(a.T - b.T)</code>: conduction without storage.</p>
</html>"));
end ThermalConductor;
