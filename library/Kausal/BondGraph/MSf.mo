within Kausal.BondGraph;
model MSf "Source of flow given by a signal"
  extends Interfaces.Source;
  Blocks.Interfaces.RealInput F "Flow"
    annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
equation
  f = F;
  annotation(
    Icon(graphics = {
      Text(extent = {{-80, 60}, {30, -60}}, textString = "MSf", textColor = {110, 0, 130})}),
    Documentation(info = "<html>
<p>A flow that is a signal.</p>
</html>"));
end MSf;
