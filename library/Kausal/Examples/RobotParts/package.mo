within Kausal.Examples;
package RobotParts "What the robot is made of"
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-60, -80}, {-60, 20}}, color = {0, 0, 0}, thickness = 0.5),
      Line(points = {{-60, 20}, {20, 60}}, color = {0, 0, 0}, thickness = 0.5),
      Line(points = {{20, 60}, {70, 20}}, color = {0, 0, 0}, thickness = 0.5)}),
    Documentation(info = "<html>
<p>Motors, gears, controllers and moving parts of <code>Examples.Robot</code>.</p>
</html>"));
end RobotParts;
