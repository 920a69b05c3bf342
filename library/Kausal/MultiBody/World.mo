within Kausal.MultiBody;
model World "Inertial frame and gravity"
  parameter Units.Acceleration g = Constants.g "Acceleration of gravity";
  parameter Real n[3] = {0, 0, -1} "Direction of gravity" annotation(Evaluate = true);
  Interfaces.Frame frame "The inertial frame"
    annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
  final parameter Real e[3] = n/sqrt(n*n) "Unit vector in the direction of gravity" annotation(Evaluate = true);
equation
  Connections.root(frame.m);
  frame.m.r = zeros(3);
  frame.m.S = identity(3);
  frame.m.vel = zeros(3);
  frame.m.omega = zeros(3);
  frame.m.acc = -g*e;
  frame.m.alpha = zeros(3);
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
<p>The frame of the world is at rest. Its variable <code>acc</code>, the acceleration minus gravity, points upwards:
this is how all parts of a system feel their weight.</p>
</html>"));
end World;
