within Kausal.Electrical;
model IdealTransformer "Transformer without losses and without stored energy"
  extends Interfaces.TwoPort;
  parameter Real n = 1 "Ratio of turns, left to right";
equation
  v1 = n*v2;
  i2 = -n*i1;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 50}, {-40, 50}, {-40, -50}, {-90, -50}}, color = {0, 0, 190}),
      Line(points = {{90, 50}, {40, 50}, {40, -50}, {90, -50}}, color = {0, 0, 190}),
      Rectangle(extent = {{-50, -35}, {-30, 35}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{30, -35}, {50, 35}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Text(extent = {{-28, 60}, {28, 20}}, textString = "ideal", textColor = {0, 0, 190}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "n=%n")}),
    Documentation(info = "<html>
<p>The equations hold at all frequencies, for constant voltages too.</p>
</html>"));
end IdealTransformer;
