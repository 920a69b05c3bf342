within Kausal.Rotational;
model Inertia "Rotating body"
  extends Interfaces.TwoFlanges;
  parameter Units.Inertia J(min = 0) = 1 "Moment of inertia";
  parameter StateSelect stateSelect = StateSelect.default "Are angle and speed wanted as states?";
  Units.Angle phi(start = 0, stateSelect = stateSelect) "Angle";
  Units.AngularVelocity w(start = 0, stateSelect = stateSelect) "Angular velocity";
  Units.AngularAcceleration alpha "Angular acceleration";
equation
  phi = a.phi;
  phi = b.phi;
  w = der(phi);
  alpha = der(w);
  J*alpha = a.tau + b.tau;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {90, 0}}, color = {70, 70, 70}, thickness = 0.5),
      Rectangle(extent = {{-50, -60}, {50, 60}},
        lineColor = {70, 70, 70}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "J=%J")}),
    Documentation(info = "<html>
<p><code>J*der(w)</code> is the sum of the torques of both flanges. Where inertias are connected rigidly only one
angle and one speed are states.</p>
</html>"));
end Inertia;
