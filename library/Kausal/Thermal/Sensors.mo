within Kausal.Thermal;
package Sensors "Ideal sensors"
  model TemperatureSensor "Measures the temperature"
    Interfaces.HeatPort port "Where to measure"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Blocks.Interfaces.RealOutput T(unit = "K") "Temperature"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
  equation
    port.Q_flow = 0;
    T = port.T;
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-30, -80}, {30, -20}},
          lineColor = {190, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Rectangle(extent = {{-12, -30}, {12, 80}},
          lineColor = {190, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {-12, 0}}, color = {190, 0, 0}),
        Line(points = {{12, 0}, {100, 0}}, color = {190, 0, 0}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Temperature of a port.</p>
</html>"));
  end TemperatureSensor;

  model RelativeTemperatureSensor "Measures the difference of two temperatures"
    Interfaces.HeatPort a "First port"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Interfaces.HeatPort b "Second port"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    Blocks.Interfaces.RealOutput dT(unit = "K") "Temperature of a minus temperature of b"
      annotation(Placement(transformation(extent = {{-10, -120}, {10, -100}})));
  equation
    a.Q_flow = 0;
    b.Q_flow = 0;
    dT = a.T - b.T;
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-60, -60}, {60, 60}},
          lineColor = {190, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {-60, 0}}, color = {190, 0, 0}),
        Line(points = {{60, 0}, {90, 0}}, color = {190, 0, 0}),
        Line(points = {{0, -60}, {0, -100}}, color = {190, 0, 0}),
        Text(extent = {{-40, 30}, {40, -30}}, textString = "dT", textColor = {190, 0, 0}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Difference of two temperatures.</p>
</html>"));
  end RelativeTemperatureSensor;

  model HeatFlowSensor "Measures the heat flow rate"
    Interfaces.HeatPort a "First port"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Interfaces.HeatPort b "Second port"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    Blocks.Interfaces.RealOutput Q_flow(unit = "W") "Heat flow rate from a to b"
      annotation(Placement(transformation(extent = {{-10, -120}, {10, -100}})));
  equation
    a.T = b.T;
    a.Q_flow = Q_flow;
    b.Q_flow = -Q_flow;
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-60, -60}, {60, 60}},
          lineColor = {190, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {-60, 0}}, color = {190, 0, 0}),
        Line(points = {{60, 0}, {90, 0}}, color = {190, 0, 0}),
        Line(points = {{0, -60}, {0, -100}}, color = {190, 0, 0}),
        Text(extent = {{-40, 30}, {40, -30}}, textString = "Q", textColor = {190, 0, 0}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Heat flow rate that goes through it. It is connected in series.</p>
</html>"));
  end HeatFlowSensor;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {190, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Ellipse(extent = {{-40, -40}, {40, 40}},
        lineColor = {190, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-20, -20}, {20, 20}}, color = {190, 0, 0})}),
    Documentation(info = "<html>
<p>They measure without influence.</p>
</html>"));
end Sensors;
