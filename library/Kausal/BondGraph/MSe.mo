within Kausal.BondGraph;
model MSe "Source of effort given by a signal"
  extends Interfaces.Source;
  Blocks.Interfaces.RealInput E "Effort"
    annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
equation
  e = E;
  annotation(
    Icon(graphics = {
      Text(extent = {{-80, 60}, {30, -60}}, textString = "MSe", textColor = {110, 0, 130})}),
    Documentation(info = "<html>
<p>An effort that is a signal.</p>
</html>"));
end MSe;
