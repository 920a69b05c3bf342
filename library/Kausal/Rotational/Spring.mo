within Kausal.Rotational;
model Spring "Linear torsional spring"
  extends Interfaces.Compliant;
  parameter Units.RotationalStiffness c = 1e4 "Stiffness";
  parameter Units.Angle phi_rel0 = 0 "Relative angle at which the spring is without tension";
equation
  tau = c*(phi_rel - phi_rel0);
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-60, 0}, {-45, 40}, {-15, -40}, {15, 40}, {45, -40}, {60, 0}, {90, 0}},
        color = {70, 70, 70}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "c=%c")}),
    Documentation(info = "<html>
<p><code>tau = c*(phi_rel - phi_rel0)</code>.</p>
</html>"));
end Spring;
