within Kausal;
package Translational "Motion along one line"
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 110, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{-40, -40}, {40, 40}},
        lineColor = {0, 110, 0}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Line(points = {{-90, 0}, {-40, 0}}, color = {0, 110, 0}, thickness = 0.5),
      Line(points = {{40, 0}, {90, 0}}, color = {0, 110, 0}, thickness = 0.5)}),
    Documentation(info = "<html>
<p>Masses, springs, dampers, stops and friction along one line. Connected flanges have the same position, and their
forces add up to zero. A positive force at a flange accelerates the component towards positive positions.</p>
</html>"));
end Translational;
