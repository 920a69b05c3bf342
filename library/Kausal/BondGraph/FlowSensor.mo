within Kausal.BondGraph;
model FlowSensor "Measures a flow; attach it to a 1-junction"
  extends Interfaces.OnePort;
  Blocks.Interfaces.RealOutput y "Flow"
    annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
equation
  e = 0;
  y = f;
  annotation(
    Icon(graphics = {
      Text(extent = {{-35, 60}, {90, -60}}, textString = "Df", textColor = {110, 0, 130})}),
    Documentation(info = "<html>
<p>Tells the flow at a junction; no power goes through it.</p>
</html>"));
end FlowSensor;
