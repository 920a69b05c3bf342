within Kausal.BondGraph;
model MTF "Transformer with the ratio given by a signal"
  extends Interfaces.TwoPort;
  Blocks.Interfaces.RealInput m "Ratio"
    annotation(Placement(transformation(extent = {{-10, 100}, {10, 120}})));
equation
  e1 = m*e2;
  f2 = m*f1;
  annotation(
    Icon(graphics = {
      Text(extent = {{-50, 60}, {50, -60}}, textString = "MTF", textColor = {110, 0, 130})}),
    Documentation(info = "<html>
<p>A transformer whose ratio is a signal, such as a crank.</p>
</html>"));
end MTF;
