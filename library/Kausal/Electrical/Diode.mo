within Kausal.Electrical;
model Diode "Diode with exponential characteristic"
  extends Interfaces.OnePort;
  parameter Units.Current Ids = 1e-6 "Saturation current";
  parameter Units.Voltage Vt = 0.04 "Voltage equivalent of the temperature (emission coefficient times kT/q)";
  parameter Real maxExp(min = 0) = 15
    "Above the exponent v/Vt = maxExp the characteristic goes on as a straight line";
  parameter Units.Conductance Gp = 1e-8 "Parallel conductance";
equation
  i = Gp*v + Ids*(smooth(1, if v > maxExp*Vt then exp(maxExp)*(1 + v/Vt - maxExp) else exp(v/Vt)) - 1);
  annotation(
    Icon(graphics = {
      Polygon(points = {{30, 0}, {-30, 40}, {-30, -40}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-90, 0}, {90, 0}}, color = {0, 0, 190}),
      Line(points = {{30, 40}, {30, -40}}, color = {0, 0, 190}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p><code>i = Ids*(exp(v/Vt) - 1) + Gp*v</code>. Beyond <code>v = maxExp*Vt</code> the exponential function is
continued by its tangent, with a continuous slope, so that an iteration that tries a large voltage does not overflow.
The parallel conductance keeps the slope away from zero when the diode blocks.</p>
</html>"));
end Diode;
