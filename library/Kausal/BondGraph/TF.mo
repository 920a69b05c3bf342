within Kausal.BondGraph;
model TF "Transformer"
  extends Interfaces.TwoPort;
  parameter Real m = 1 "Ratio";
equation
  e1 = m*e2;
  f2 = m*f1;
  annotation(
    Icon(graphics = {
      Text(extent = {{-45, 60}, {45, -60}}, textString = "TF", textColor = {110, 0, 130}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "m=%m")}),
    Documentation(info = "<html>
<p><code>e1 = m*e2</code>, <code>f2 = m*f1</code>: a lever, a gear, an electrical transformer. No power is lost or
stored.</p>
</html>"));
end TF;
