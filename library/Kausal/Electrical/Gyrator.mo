within Kausal.Electrical;
model Gyrator "Ideal gyrator"
  extends Interfaces.TwoPort;
  parameter Units.Conductance G1 = 1 "Gyration conductance from the right to the left";
  parameter Units.Conductance G2 = G1 "Gyration conductance from the left to the right";
equation
  i1 = G2*v2;
  i2 = -G1*v1;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 50}, {-30, 50}}, color = {0, 0, 190}),
      Line(points = {{-90, -50}, {-30, -50}}, color = {0, 0, 190}),
      Line(points = {{90, 50}, {30, 50}}, color = {0, 0, 190}),
      Line(points = {{90, -50}, {30, -50}}, color = {0, 0, 190}),
      Line(points = {{-30, 50}, {-10, 0}, {-30, -50}}, color = {0, 0, 190}, smooth = Smooth.Bezier),
      Line(points = {{30, 50}, {10, 0}, {30, -50}}, color = {0, 0, 190}, smooth = Smooth.Bezier),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>With <code>G1 = G2</code> the gyrator neither stores nor dissipates energy.</p>
</html>"));
end Gyrator;
