within Kausal.MultiBody.Planar;
model World "Inertial frame and gravity"
  parameter Units.Acceleration g[2] = {0, -Constants.g} "Acceleration of gravity";
  Interfaces.Frame frame "The inertial frame"
    annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
equation
  frame.r = zeros(2);
  frame.phi = 0;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-60, -60}, {60, -60}}, color = {90, 80, 40}),
      Line(points = {{-60, -60}, {-60, 60}}, color = {90, 80, 40}),
      Line(points = {{0, 60}, {0, -20}}, color = {90, 80, 40}),
      Polygon(points = {{0, -40}, {-15, -10}, {15, -10}},
        lineColor = {90, 80, 40}, fillColor = {90, 80, 40}, fillPattern = FillPattern.Solid),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    defaultComponentName = "world", defaultComponentPrefixes = "inner",
    Documentation(info = "<html>
<p>The inertial frame, and gravity as a vector. Every plane model has one, called <code>world</code> and
<code>inner</code>.</p>
</html>"));
end World;
