within Kausal.BondGraph;
model C "Capacitance: stores energy by its effort"
  extends Interfaces.OnePort(e(start = 0));
  parameter Real C = 1 "Capacitance";
equation
  C*der(e) = f;
  annotation(
    Icon(graphics = {
      Text(extent = {{-30, 60}, {80, -60}}, textString = "C", textColor = {110, 0, 130}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "C=%C")}),
    Documentation(info = "<html>
<p><code>C*der(e) = f</code>: a capacitor, a spring, a tank.</p>
</html>"));
end C;
