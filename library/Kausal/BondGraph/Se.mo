within Kausal.BondGraph;
model Se "Source of effort"
  extends Interfaces.Source;
  parameter Real E = 1 "Effort";
equation
  e = E;
  annotation(
    Icon(graphics = {
      Text(extent = {{-80, 60}, {30, -60}}, textString = "Se", textColor = {110, 0, 130}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "E=%E")}),
    Documentation(info = "<html>
<p>A constant effort: a battery, gravity.</p>
</html>"));
end Se;
