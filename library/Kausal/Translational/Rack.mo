within Kausal.Translational;
model Rack "Ideal pinion and rack"
  parameter Units.Length r = 0.1 "Radius of the pinion";
  Rotational.Interfaces.Flange pinion "Rotating side"
    annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
  Interfaces.Flange rack "Translating side"
    annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
equation
  rack.s = r*pinion.phi;
  0 = pinion.tau + r*rack.f;
  annotation(
    Icon(graphics = {
      Ellipse(extent = {{-60, -20}, {20, 60}},
        lineColor = {0, 110, 0}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{-60, -50}, {90, -20}},
        lineColor = {0, 110, 0}, fillColor = {0, 110, 0}, fillPattern = FillPattern.Solid),
      Line(points = {{-90, 0}, {-20, 20}}, color = {0, 110, 0}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "r=%r")}),
    Documentation(info = "<html>
<p>Turns rotation into translation: a wheel on the road, a rack and a pinion. No power is lost.</p>
</html>"));
end Rack;
