within Kausal.BondGraph;
model R "Resistance: dissipates energy"
  extends Interfaces.OnePort;
  parameter Real R = 1 "Resistance";
equation
  e = R*f;
  annotation(
    Icon(graphics = {
      Text(extent = {{-30, 60}, {80, -60}}, textString = "R", textColor = {110, 0, 130}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "R=%R")}),
    Documentation(info = "<html>
<p><code>e = R*f</code>: a resistor, a damper, a throttle.</p>
</html>"));
end R;
