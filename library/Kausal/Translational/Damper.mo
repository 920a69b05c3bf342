within Kausal.Translational;
model Damper "Linear damper"
  extends Interfaces.CompliantWithSpeed(stateSelect = StateSelect.default);
  parameter Units.Damping d = 1 "Damping";
  Units.Power loss "Power turned into heat";
equation
  f = d*v_rel;
  loss = f*v_rel;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-20, 0}}, color = {0, 110, 0}),
      Rectangle(extent = {{-50, -30}, {30, 30}},
        lineColor = {0, 110, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-20, 25}, {-20, -25}}, color = {0, 110, 0}),
      Line(points = {{30, 0}, {90, 0}}, color = {0, 110, 0}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "d=%d")}),
    Documentation(info = "<html>
<p><code>f = d*v_rel</code>.</p>
</html>"));
end Damper;
