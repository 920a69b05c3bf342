within Kausal.Electrical;
model SaturatingInductor "Inductor whose flux saturates"
  extends Interfaces.OnePort(i(start = 0));
  parameter Units.Inductance L0 = 1 "Inductance at small currents";
  parameter Units.Inductance Linf = 0.01 "Inductance at large currents";
  parameter Units.Current I0 = 1 "Current at which saturation sets in";
  Real psi(unit = "V.s", stateSelect = StateSelect.avoid) "Flux linkage";
equation
  psi = Linf*i + (L0 - Linf)*I0*tanh(i/I0);
  v = der(psi);
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-60, 0}}, color = {0, 0, 190}),
      Line(points = {{60, 0}, {90, 0}}, color = {0, 0, 190}),
      Line(points = {{-60, 0}, {-50, 30}, {-30, 30}, {-20, 0}}, color = {0, 0, 190}, smooth = Smooth.Bezier),
      Line(points = {{-20, 0}, {-10, 30}, {10, 30}, {20, 0}}, color = {0, 0, 190}, smooth = Smooth.Bezier),
      Line(points = {{20, 0}, {30, 30}, {50, 30}, {60, 0}}, color = {0, 0, 190}, smooth = Smooth.Bezier),
      Line(points = {{-60, -15}, {60, -15}}, color = {0, 0, 190}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "L0=%L0")}),
    Documentation(info = "<html>
<p>The flux linkage grows with the slope <code>L0</code> for small currents and with <code>Linf</code> for large
ones; in between it follows a hyperbolic tangent.</p>
</html>"));
end SaturatingInductor;
