within Kausal.Thermal;
model HeatCapacitor "Body of uniform temperature that stores heat"
  parameter Units.HeatCapacity C = 1 "Heat capacity";
  Interfaces.HeatPort port "Port"
    annotation(Placement(transformation(extent = {{-10, -110}, {10, -90}})));
  Units.Temperature T(start = 293.15) "Temperature";
equation
  T = port.T;
  C*der(T) = port.Q_flow;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-60, -60}, {60, 60}},
        lineColor = {190, 0, 0}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Line(points = {{0, -60}, {0, -90}}, color = {190, 0, 0}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "C=%C")}),
    Documentation(info = "<html>
<p><code>C*der(T) = Q_flow</code>: one temperature for all of it.</p>
</html>"));
end HeatCapacitor;
