within Kausal.Thermal;
model Convection "Heat transfer between a surface and a fluid"
  Interfaces.HeatPort solid "Surface"
    annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
  Interfaces.HeatPort fluid "Fluid"
    annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
  Blocks.Interfaces.RealInput Gc(unit = "W/K") "Heat transfer coefficient times area"
    annotation(Placement(transformation(extent = {{-10, 100}, {10, 120}})));
  Units.TemperatureDifference dT "Temperature of the surface minus temperature of the fluid";
  Units.HeatFlowRate Q_flow "Heat flow rate from the surface to the fluid";
equation
  dT = solid.T - fluid.T;
  Q_flow = Gc*dT;
  solid.Q_flow = Q_flow;
  fluid.Q_flow = -Q_flow;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-80, -60}, {-40, 60}},
        lineColor = {190, 0, 0}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Line(points = {{-90, 0}, {-80, 0}}, color = {190, 0, 0}),
      Line(points = {{-20, 60}, {-20, -60}}, color = {190, 0, 0}),
      Line(points = {{20, 60}, {20, -60}}, color = {190, 0, 0}),
      Line(points = {{60, 60}, {60, -60}}, color = {190, 0, 0}),
      Line(points = {{0, 90}, {0, 60}}, color = {190, 0, 0}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p><code>Q_flow = Gc*dT</code> with a coefficient that is a signal, such as one that depends on a speed.</p>
</html>"));
end Convection;
