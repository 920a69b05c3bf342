within Kausal;
package Examples "Models to run"
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Polygon(points = {{-40, 60}, {60, 0}, {-40, -60}},
        lineColor = {0, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid)}),
    Documentation(info = "<html>
<p>Each model can be simulated as it is, for instance with <code>kausal simulate Kausal.Examples.RC</code>. The
documentation of a model says what to look at and, where there is one, gives a formula to compare with.</p>
</html>"));
end Examples;
