within Kausal.Translational;
model Mass "Sliding mass"
  extends Interfaces.Rigid(s(start = 0, stateSelect = stateSelect));
  parameter Units.Mass m = 1 "Mass";
  parameter StateSelect stateSelect = StateSelect.default "Are position and velocity wanted as states?";
  Units.Velocity v(start = 0, stateSelect = stateSelect) "Velocity";
  Units.Acceleration acc "Acceleration";
equation
  v = der(s);
  acc = der(v);
  m*acc = a.f + b.f;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {90, 0}}, color = {0, 110, 0}),
      Rectangle(extent = {{-60, -40}, {60, 40}},
        lineColor = {0, 110, 0}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "m=%m")}),
    Documentation(info = "<html>
<p><code>m*der(v)</code> is the sum of the forces of both flanges. Where masses are connected rigidly only one
position and one speed are states.</p>
</html>"));
end Mass;
