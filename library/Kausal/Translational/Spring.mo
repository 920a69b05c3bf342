within Kausal.Translational;
model Spring "Linear spring"
  extends Interfaces.Compliant;
  parameter Units.Stiffness c = 1 "Stiffness";
  parameter Units.Length s_rel0 = 0 "Length without tension";
equation
  f = c*(s_rel - s_rel0);
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-60, 0}, {-45, 40}, {-15, -40}, {15, 40}, {45, -40}, {60, 0}, {90, 0}},
        color = {0, 110, 0}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "c=%c")}),
    Documentation(info = "<html>
<p><code>f = c*(s_rel - s_rel0)</code>.</p>
</html>"));
end Spring;
