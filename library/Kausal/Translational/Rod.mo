within Kausal.Translational;
model Rod "Rigid rod without mass"
  extends Interfaces.Rigid;
equation
  0 = a.f + b.f;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {90, 0}}, color = {0, 110, 0}, thickness = 0.5),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "L=%L")}),
    Documentation(info = "<html>
<p>A rigid connection without mass.</p>
</html>"));
end Rod;
