within Kausal.Electrical;
model IdealDiode "Ideal diode"
  extends Interfaces.Switching;
equation
  off = s < 0;
  annotation(
    Icon(graphics = {
      Polygon(points = {{30, 0}, {-30, 40}, {-30, -40}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-90, 0}, {90, 0}}, color = {0, 0, 190}),
      Line(points = {{30, 40}, {30, -40}}, color = {0, 0, 190}),
      Text(extent = {{-40, -50}, {40, -80}}, textString = "ideal", textColor = {0, 0, 190}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>The diode conducts while the curve parameter <code>s</code>, which then is the current, is positive, and blocks
while <code>s</code>, which then is the voltage, is negative. Several diodes of one circuit may switch at the same
instant; which of them do so is found by solving a mixed system of equations with Real and Boolean unknowns.</p>
</html>"));
end IdealDiode;
