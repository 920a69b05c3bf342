within Kausal.Rotational;
model SpringDamper "Linear spring and damper in parallel"
  extends Interfaces.CompliantWithSpeed;
  parameter Units.RotationalStiffness c = 1e4 "Stiffness";
  parameter Units.RotationalDamping d = 1 "Damping";
  parameter Units.Angle phi_rel0 = 0 "Relative angle at which the spring is without tension";
  Units.Power loss "Power turned into heat";
equation
  tau = c*(phi_rel - phi_rel0) + d*w_rel;
  loss = d*w_rel*w_rel;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-60, 0}}, color = {70, 70, 70}),
      Line(points = {{60, 0}, {90, 0}}, color = {70, 70, 70}),
      Line(points = {{-60, 40}, {-60, -40}}, color = {70, 70, 70}),
      Line(points = {{60, 40}, {60, -40}}, color = {70, 70, 70}),
      Line(points = {{-60, 40}, {-45, 60}, {-15, 20}, {15, 60}, {45, 20}, {60, 40}}, color = {70, 70, 70}),
      Line(points = {{-60, -40}, {-10, -40}}, color = {70, 70, 70}),
      Rectangle(extent = {{-30, -60}, {30, -20}},
        lineColor = {70, 70, 70}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{30, -40}, {60, -40}}, color = {70, 70, 70}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "c=%c")}),
    Documentation(info = "<html>
<p><code>tau = c*(phi_rel - phi_rel0) + d*w_rel</code>: an elastic shaft. Relative angle and speed are preferred as
states.</p>
</html>"));
end SpringDamper;
