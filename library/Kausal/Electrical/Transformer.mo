within Kausal.Electrical;
model Transformer "Two coupled coils"
  extends Interfaces.TwoPort(i1(start = 0), i2(start = 0));
  parameter Units.Inductance L1 = 1 "Inductance of the left coil";
  parameter Units.Inductance L2 = 1 "Inductance of the right coil";
  parameter Units.Inductance M = 0.5 "Mutual inductance";
equation
  v1 = L1*der(i1) + M*der(i2);
  v2 = M*der(i1) + L2*der(i2);
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 50}, {-40, 50}, {-40, -50}, {-90, -50}}, color = {0, 0, 190}),
      Line(points = {{90, 50}, {40, 50}, {40, -50}, {90, -50}}, color = {0, 0, 190}),
      Rectangle(extent = {{-50, -35}, {-30, 35}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{30, -35}, {50, 35}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-6, 50}, {-6, -50}}, color = {0, 0, 190}),
      Line(points = {{6, 50}, {6, -50}}, color = {0, 0, 190}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "M=%M")}),
    Documentation(info = "<html>
<p>Both currents are states as long as <code>M*M</code> is smaller than <code>L1*L2</code>. For perfect coupling use
<code>IdealTransformer</code>.</p>
</html>"));
end Transformer;
