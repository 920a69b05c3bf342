within Kausal.Electrical;
model Capacitor "Ideal capacitor"
  extends Interfaces.OnePort(v(start = 0));
  parameter Units.Capacitance C = 1 "Capacitance";
equation
  C*relax(der(v)) = i;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-12, 0}}, color = {0, 0, 190}),
      Line(points = {{12, 0}, {90, 0}}, color = {0, 0, 190}),
      Line(points = {{-12, 40}, {-12, -40}}, color = {0, 0, 190}),
      Line(points = {{12, 40}, {12, -40}}, color = {0, 0, 190}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "C=%C")}),
    Documentation(info = "<html>
<p><code>C*der(v) = i</code>. Where capacitors are connected in parallel or in a loop with voltage sources their
voltages depend on each other, and only some of them are states.</p>
</html>"));
end Capacitor;
