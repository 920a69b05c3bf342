within Kausal.BondGraph;
model EffortSensor "Measures an effort; attach it to a 0-junction"
  extends Interfaces.OnePort;
  Blocks.Interfaces.RealOutput y "Effort"
    annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
equation
  f = 0;
  y = e;
  annotation(
    Icon(graphics = {
      Text(extent = {{-35, 60}, {90, -60}}, textString = "De", textColor = {110, 0, 130})}),
    Documentation(info = "<html>
<p>Tells the effort at a junction; no power goes through it.</p>
</html>"));
end EffortSensor;
