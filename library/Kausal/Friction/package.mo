within Kausal;
package Friction "Dry friction, for all mechanical domains"
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {70, 70, 70}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-80, 0}, {80, 0}}, color = {70, 70, 70}),
      Line(points = {{0, -80}, {0, 80}}, color = {70, 70, 70}),
      Line(points = {{-80, -60}, {0, -40}, {0, 40}, {80, 60}}, color = {70, 70, 70})}),
    Documentation(info = "<html>
<p>What rotating, translating and three-dimensional components with dry friction have in common.</p>
</html>"));
end Friction;
