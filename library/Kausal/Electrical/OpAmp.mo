within Kausal.Electrical;
model OpAmp "Operational amplifier with finite gain and limited output"
  Interfaces.Pin in_p "Non-inverting input"
    annotation(Placement(transformation(extent = {{-110, 40}, {-90, 60}})));
  Interfaces.Pin in_n "Inverting input"
    annotation(Placement(transformation(extent = {{-110, -60}, {-90, -40}})));
  Interfaces.Pin out "Output"
    annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
  parameter Real gain(min = 1) = 1e4 "Gain without feedback";
  parameter Units.Voltage Vmax = 15 "Largest output voltage";
  parameter Units.Voltage Vmin = -Vmax "Smallest output voltage";
  Units.Voltage v_in "Difference of the input potentials";
equation
  v_in = in_p.v - in_n.v;
  in_p.i = 0;
  in_n.i = 0;
  out.v = (Vmax + Vmin)/2 + (Vmax - Vmin)/2*tanh(gain*v_in/((Vmax - Vmin)/2));
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 50}, {-60, 50}}, color = {0, 0, 190}),
      Line(points = {{-90, -50}, {-60, -50}}, color = {0, 0, 190}),
      Line(points = {{60, 0}, {90, 0}}, color = {0, 0, 190}),
      Polygon(points = {{60, 0}, {-60, 90}, {-60, -90}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Text(extent = {{-55, 70}, {-35, 40}}, textString = "+", textColor = {0, 0, 190}),
      Text(extent = {{-55, -30}, {-35, -60}}, textString = "-", textColor = {0, 0, 190}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>The output is a smooth function of the input: of slope <code>gain</code> in the middle, and saturating at
<code>Vmin</code> and <code>Vmax</code>. The inputs take no current.</p>
</html>"));
end OpAmp;
