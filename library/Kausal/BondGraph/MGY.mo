within Kausal.BondGraph;
model MGY "Gyrator with the ratio given by a signal"
  extends Interfaces.TwoPort;
  Blocks.Interfaces.RealInput r "Ratio"
    annotation(Placement(transformation(extent = {{-10, 100}, {10, 120}})));
equation
  e1 = r*f2;
  e2 = r*f1;
  annotation(
    Icon(graphics = {
      Text(extent = {{-50, 60}, {50, -60}}, textString = "MGY", textColor = {110, 0, 130})}),
    Documentation(info = "<html>
<p>A gyrator whose ratio is a signal, such as a motor whose field is controlled.</p>
</html>"));
end MGY;
