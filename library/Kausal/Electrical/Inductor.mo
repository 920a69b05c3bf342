within Kausal.Electrical;
model Inductor "Ideal inductor"
  extends Interfaces.OnePort(i(start = 0));
  parameter Units.Inductance L = 1 "Inductance";
equation
  L*der(i) = v;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-60, 0}}, color = {0, 0, 190}),
      Line(points = {{60, 0}, {90, 0}}, color = {0, 0, 190}),
      Line(points = {{-60, 0}, {-50, 30}, {-30, 30}, {-20, 0}}, color = {0, 0, 190}, smooth = Smooth.Bezier),
      Line(points = {{-20, 0}, {-10, 30}, {10, 30}, {20, 0}}, color = {0, 0, 190}, smooth = Smooth.Bezier),
      Line(points = {{20, 0}, {30, 30}, {50, 30}, {60, 0}}, color = {0, 0, 190}, smooth = Smooth.Bezier),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "L=%L")}),
    Documentation(info = "<html>
<p><code>L*der(i) = v</code>. Where inductors are connected in series only one of the currents is a state.</p>
</html>"));
end Inductor;
