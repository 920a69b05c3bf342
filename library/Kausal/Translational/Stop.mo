within Kausal.Translational;
model Stop "Elastic stop: a spring and damper that push but do not pull"
  extends Interfaces.CompliantWithSpeed(stateSelect = StateSelect.default);
  parameter Units.Stiffness c(min = Constants.small) = 1e6 "Stiffness in contact";
  parameter Units.Damping d = 1e3 "Damping in contact";
  parameter Units.Length s_rel0 = 0 "Distance at which the contact begins";
  Boolean contact "Do the two sides touch?";
equation
  contact = s_rel < s_rel0;
  f = if contact then smooth(0, noEvent(min(0, c*(s_rel - s_rel0) + d*v_rel))) else 0;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-60, 0}, {-45, 40}, {-15, -40}, {5, 0}}, color = {0, 110, 0}),
      Line(points = {{30, 0}, {90, 0}}, color = {0, 110, 0}),
      Line(points = {{30, 30}, {30, -30}}, color = {0, 110, 0}),
      Line(points = {{5, 30}, {5, -30}}, color = {0, 110, 0}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>The two sides touch while their distance is smaller than <code>s_rel0</code>. The damper cannot make the contact
pull.</p>
</html>"));
end Stop;
