within Kausal.Thermal;
package Sources "Temperatures and heat flows"
  model FixedTemperature "Constant temperature"
    parameter Units.Temperature T = 293.15 "Temperature";
    Interfaces.HeatPort port "Port"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
  equation
    port.T = T;
    annotation(
      Icon(graphics = {
        Rectangle(extent = {{-60, -60}, {60, 60}},
          lineColor = {190, 0, 0}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
        Line(points = {{60, 0}, {90, 0}}, color = {190, 0, 0}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
        Text(extent = {{-150, -110}, {150, -140}}, textString = "T=%T")}),
      Documentation(info = "<html>
<p>A reservoir that is so large that its temperature does not change.</p>
</html>"));
  end FixedTemperature;

  model PrescribedTemperature "Temperature given by a signal"
    Blocks.Interfaces.RealInput T(unit = "K") "Temperature"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
    Interfaces.HeatPort port "Port"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
  equation
    port.T = T;
    annotation(
      Icon(graphics = {
        Rectangle(extent = {{-60, -60}, {60, 60}},
          lineColor = {190, 0, 0}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
        Line(points = {{-100, 0}, {-60, 0}}, color = {190, 0, 0}),
        Line(points = {{60, 0}, {90, 0}}, color = {190, 0, 0}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>A temperature that is a signal.</p>
</html>"));
  end PrescribedTemperature;

  model FixedHeatFlow "Constant heat flow"
    parameter Units.HeatFlowRate Q_flow = 0 "Heat flow rate out of the source";
    Interfaces.HeatPort port "Port"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
  equation
    port.Q_flow = -Q_flow;
    annotation(
      Icon(graphics = {
        Line(points = {{-60, 0}, {60, 0}}, color = {190, 0, 0}),
        Polygon(points = {{90, 0}, {50, 20}, {50, -20}},
          lineColor = {190, 0, 0}, fillColor = {190, 0, 0}, fillPattern = FillPattern.Solid),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
        Text(extent = {{-150, -110}, {150, -140}}, textString = "Q_flow=%Q_flow")}),
      Documentation(info = "<html>
<p>The same heat flow rate whatever the temperature.</p>
</html>"));
  end FixedHeatFlow;

  model PrescribedHeatFlow "Heat flow given by a signal"
    Blocks.Interfaces.RealInput Q_flow(unit = "W") "Heat flow rate out of the source"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
    Interfaces.HeatPort port "Port"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
  equation
    port.Q_flow = -Q_flow;
    annotation(
      Icon(graphics = {
        Line(points = {{-100, 0}, {60, 0}}, color = {190, 0, 0}),
        Polygon(points = {{90, 0}, {50, 20}, {50, -20}},
          lineColor = {190, 0, 0}, fillColor = {190, 0, 0}, fillPattern = FillPattern.Solid),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>A heat flow rate that is a signal.</p>
</html>"));
  end PrescribedHeatFlow;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {190, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-60, 0}, {60, 0}}, color = {190, 0, 0}),
      Polygon(points = {{90, 0}, {50, 20}, {50, -20}},
        lineColor = {190, 0, 0}, fillColor = {190, 0, 0}, fillPattern = FillPattern.Solid)}),
    Documentation(info = "<html>
<p>Given temperatures and heat flow rates.</p>
</html>"));
end Sources;
