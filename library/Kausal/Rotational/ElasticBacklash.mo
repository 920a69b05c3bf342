within Kausal.Rotational;
model ElasticBacklash "Spring and damper with play"
  extends Interfaces.CompliantWithSpeed;
  parameter Units.RotationalStiffness c(min = Constants.small) = 1e4 "Stiffness in contact";
  parameter Units.RotationalDamping d = 1 "Damping in contact";
  parameter Units.Angle backlash(min = 0) = 0.01 "Total play";
protected
  Units.Angle gap "How far the contact is pressed together, with sign; 0 within the play";
  Units.Torque tau_d "Torque of the damper in contact";
equation
  gap = smooth(0, if phi_rel > backlash/2 then phi_rel - backlash/2
    else if phi_rel < -backlash/2 then phi_rel + backlash/2 else 0);
  tau_d = d*w_rel;
  tau = if phi_rel > backlash/2 then smooth(0, noEvent(max(0, c*gap + tau_d)))
    else if phi_rel < -backlash/2 then smooth(0, noEvent(min(0, c*gap + tau_d))) else 0;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-60, 0}, {-45, 40}, {-15, -40}, {5, 0}}, color = {70, 70, 70}),
      Line(points = {{30, 0}, {90, 0}}, color = {70, 70, 70}),
      Line(points = {{30, 30}, {30, -30}}, color = {70, 70, 70}),
      Line(points = {{5, 30}, {5, -30}}, color = {70, 70, 70}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>Within the play no torque is transmitted. In contact the spring and the damper act together, but the contact never
pulls: the damper cannot make the torque change its sign.</p>
</html>"));
end ElasticBacklash;
