within Kausal.BondGraph;
model Sf "Source of flow"
  extends Interfaces.Source;
  parameter Real F = 1 "Flow";
equation
  f = F;
  annotation(
    Icon(graphics = {
      Text(extent = {{-80, 60}, {30, -60}}, textString = "Sf", textColor = {110, 0, 130}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "F=%F")}),
    Documentation(info = "<html>
<p>A constant flow: a source of current, a conveyor belt.</p>
</html>"));
end Sf;
