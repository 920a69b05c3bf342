within Kausal;
package Icons "Icons to extend"
  partial model Example "Icon of a model that can be run"
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-100, -100}, {100, 100}},
          lineColor = {0, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Polygon(points = {{-40, 60}, {60, 0}, {-40, -60}},
          lineColor = {0, 0, 0}, fillColor = {0, 150, 90}, fillPattern = FillPattern.Solid)}),
      Documentation(info = "<html>
<p>For models that can be simulated as they are.</p>
</html>"));
  end Example;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Ellipse(extent = {{-40, -40}, {40, 40}}, lineColor = {0, 0, 0})}),
    Documentation(info = "<html>
<p>What many classes show and nothing else: a class gets an icon by extending one of these.</p>
</html>"));
end Icons;
