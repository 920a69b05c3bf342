within Kausal.Electrical;
model HeatingResistor "Resistor whose resistance depends on its temperature and that gives off its heat"
  extends Interfaces.OnePort;
  parameter Units.Resistance R_ref = 1 "Resistance at the reference temperature";
  parameter Units.Temperature T_ref = 293.15 "Reference temperature";
  parameter Real alpha(unit = "1/K") = 0 "Relative change of resistance per kelvin";
  Units.Resistance R "Resistance at the present temperature";
  Thermal.Interfaces.HeatPort heatPort "The heat of the loss flows out here"
    annotation(Placement(transformation(extent = {{-10, -110}, {10, -90}})));
equation
  R = R_ref*(1 + alpha*(heatPort.T - T_ref));
  v = R*i;
  heatPort.Q_flow = -v*i;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {90, 0}}, color = {0, 0, 190}),
      Rectangle(extent = {{-70, -30}, {70, 30}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{0, -30}, {0, -90}}, color = {0, 0, 190}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "R_ref=%R_ref")}),
    Documentation(info = "<html>
<p>The resistance depends on the temperature, and the power that is lost flows out as heat.</p>
</html>"));
end HeatingResistor;
