within Kausal.BondGraph;
model I "Inertance: stores energy by its flow"
  extends Interfaces.OnePort(f(start = 0));
  parameter Real I = 1 "Inertance";
equation
  I*der(f) = e;
  annotation(
    Icon(graphics = {
      Text(extent = {{-30, 60}, {80, -60}}, textString = "I", textColor = {110, 0, 130}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "I=%I")}),
    Documentation(info = "<html>
<p><code>I*der(f) = e</code>: an inductor, a mass, a moment of inertia.</p>
</html>"));
end I;
