within Kausal.Rotational;
model Damper "Linear torsional damper"
  extends Interfaces.CompliantWithSpeed(stateSelect = StateSelect.default);
  parameter Units.RotationalDamping d = 1 "Damping";
  Units.Power loss "Power turned into heat";
equation
  tau = d*w_rel;
  loss = tau*w_rel;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-20, 0}}, color = {70, 70, 70}),
      Rectangle(extent = {{-50, -30}, {30, 30}},
        lineColor = {70, 70, 70}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-20, 25}, {-20, -25}}, color = {70, 70, 70}),
      Line(points = {{30, 0}, {90, 0}}, color = {70, 70, 70}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "d=%d")}),
    Documentation(info = "<html>
<p><code>tau = d*w_rel</code>.</p>
</html>"));
end Damper;
