within Kausal.Translational;
model SpringDamper "Linear spring and damper in parallel"
  extends Interfaces.CompliantWithSpeed;
  parameter Units.Stiffness c = 1 "Stiffness";
  parameter Units.Damping d = 1 "Damping";
  parameter Units.Length s_rel0 = 0 "Length without tension";
  Units.Power loss "Power turned into heat";
equation
  f = c*(s_rel - s_rel0) + d*v_rel;
  loss = d*v_rel*v_rel;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-60, 0}}, color = {0, 110, 0}),
      Line(points = {{60, 0}, {90, 0}}, color = {0, 110, 0}),
      Line(points = {{-60, 40}, {-60, -40}}, color = {0, 110, 0}),
      Line(points = {{60, 40}, {60, -40}}, color = {0, 110, 0}),
      Line(points = {{-60, 40}, {-45, 60}, {-15, 20}, {15, 60}, {45, 20}, {60, 40}}, color = {0, 110, 0}),
      Line(points = {{-60, -40}, {-10, -40}}, color = {0, 110, 0}),
      Rectangle(extent = {{-30, -60}, {30, -20}},
        lineColor = {0, 110, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{30, -40}, {60, -40}}, color = {0, 110, 0}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "c=%c")}),
    Documentation(info = "<html>
<p><code>f = c*(s_rel - s_rel0) + d*v_rel</code>.</p>
</html>"));
end SpringDamper;
