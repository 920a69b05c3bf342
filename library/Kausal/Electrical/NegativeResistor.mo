within Kausal.Electrical;
model NegativeResistor "Nonlinear resistor with a characteristic of three pieces"
  extends Interfaces.OnePort;
  parameter Units.Conductance Ga = -1 "Slope in the middle";
  parameter Units.Conductance Gb = -0.5 "Slope outside";
  parameter Units.Voltage Ve(min = 0) = 1 "Where the slope changes";
equation
  i = smooth(0, if v > Ve then Gb*v + (Ga - Gb)*Ve else if v < -Ve then Gb*v - (Ga - Gb)*Ve else Ga*v);
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {90, 0}}, color = {0, 0, 190}),
      Rectangle(extent = {{-70, -30}, {70, 30}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-60, 20}, {-20, 10}, {20, -10}, {60, -20}}, color = {0, 0, 190}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>With negative slopes it delivers energy: the active part of an oscillator.</p>
</html>"));
end NegativeResistor;
