within Kausal.BondGraph;
model GY "Gyrator"
  extends Interfaces.TwoPort;
  parameter Real r = 1 "Ratio";
equation
  e1 = r*f2;
  e2 = r*f1;
  annotation(
    Icon(graphics = {
      Text(extent = {{-45, 60}, {45, -60}}, textString = "GY", textColor = {110, 0, 130}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "r=%r")}),
    Documentation(info = "<html>
<p><code>e1 = r*f2</code>, <code>e2 = r*f1</code>: an electrical motor without losses, a top.</p>
</html>"));
end GY;
