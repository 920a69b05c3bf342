within Kausal.BondGraph;
model G "Conductance: a resistance given by its inverse"
  extends Interfaces.OnePort;
  parameter Real G = 1 "Conductance";
equation
  f = G*e;
  annotation(
    Icon(graphics = {
      Text(extent = {{-30, 60}, {80, -60}}, textString = "G", textColor = {110, 0, 130}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "G=%G")}),
    Documentation(info = "<html>
<p><code>f = G*e</code>: a resistor that is given by its conductance, and may let nothing pass.</p>
</html>"));
end G;
