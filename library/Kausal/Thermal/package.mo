within Kausal;
package Thermal "Lumped heat flow"
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {190, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{-40, -50}, {40, 50}},
        lineColor = {190, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-90, 0}, {-40, 0}}, color = {190, 0, 0}),
      Line(points = {{40, 0}, {90, 0}}, color = {190, 0, 0})}),
    Documentation(info = "<html>
<p>Heat stored in bodies and flowing between them. Connected ports have the same temperature, and the heat flow rates,
counted positive into the components, add up to zero. All temperatures are absolute, in kelvin.</p>
</html>"));
end Thermal;
