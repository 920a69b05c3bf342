within Kausal.Rotational;
model Freewheel "Ideal one-way coupling"
  extends Interfaces.CompliantWithSpeed(stateSelect = StateSelect.default);
  parameter Units.RotationalDamping d = 1e4 "Damping while locked";
equation
  tau = smooth(0, if w_rel < 0 then d*w_rel else 0);
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-20, 0}}, color = {70, 70, 70}, thickness = 0.5),
      Line(points = {{20, 0}, {90, 0}}, color = {70, 70, 70}, thickness = 0.5),
      Ellipse(extent = {{-40, -40}, {40, 40}},
        lineColor = {70, 70, 70}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Polygon(points = {{-10, 20}, {20, 30}, {0, 0}},
        lineColor = {70, 70, 70}, fillColor = {70, 70, 70}, fillPattern = FillPattern.Solid),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>While b turns more slowly than a it is dragged along by a stiff damper; otherwise it turns freely.</p>
</html>"));
end Freewheel;
