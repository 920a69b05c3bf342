within Kausal.Electrical;
model IdealOpAmp "Ideal operational amplifier (nullor)"
  extends Interfaces.TwoPort;
equation
  v1 = 0;
  i1 = 0;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 50}, {-60, 50}}, color = {0, 0, 190}),
      Line(points = {{-90, -50}, {-60, -50}}, color = {0, 0, 190}),
      Line(points = {{60, 50}, {90, 50}}, color = {0, 0, 190}),
      Line(points = {{0, -50}, {90, -50}}, color = {0, 0, 190}),
      Polygon(points = {{60, 50}, {-60, 90}, {-60, -70}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Text(extent = {{-55, 70}, {-35, 40}}, textString = "+", textColor = {0, 0, 190}),
      Text(extent = {{-55, -30}, {-35, -60}}, textString = "-", textColor = {0, 0, 190}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>Input voltage and input current are zero; the output port supplies whatever voltage and current is needed to keep
them so. <code>n2</code> is usually connected to ground.</p>
</html>"));
end IdealOpAmp;
