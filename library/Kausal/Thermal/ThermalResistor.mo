within Kausal.Thermal;
model ThermalResistor "Resistance to heat flow"
  extends Interfaces.Element;
  parameter Units.ThermalResistance R = 1 "Thermal resistance";
equation
  dT = R*Q_flow;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {90, 0}}, color = {190, 0, 0}),
      Rectangle(extent = {{-60, -50}, {60, 50}},
        lineColor = {190, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "R=%R")}),
    Documentation(info = "<html>
<p><code>a.T - b.T = R*Q_flow</code>: conduction without storage.</p>
</html>"));
end ThermalResistor;
