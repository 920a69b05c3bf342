within Kausal.MultiBody.Planar;
model Bar "Rigid bar without mass"
  extends Interfaces.TwoFrames;
  parameter Units.Position r[2] = {1, 0} "Vector from a to b for the angle zero" annotation(Evaluate = true);
  Units.Position r0[2] "Vector from a to b, resolved in the world frame";
equation
  r0 = {cos(a.phi)*r[1] - sin(a.phi)*r[2], sin(a.phi)*r[1] + cos(a.phi)*r[2]};
  b.r = a.r + r0;
  b.phi = a.phi;
  zeros(2) = a.f + b.f;
  0 = a.t + b.t + r0[1]*b.f[2] - r0[2]*b.f[1];
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-90, -8}, {90, 8}},
        lineColor = {90, 80, 40}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "%r")}),
    Documentation(info = "<html>
<p>Frame <code>b</code> stands at the point <code>r</code> of frame <code>a</code>, which turns with it.</p>
</html>"));
end Bar;
