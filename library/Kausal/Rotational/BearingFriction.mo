within Kausal.Rotational;
model BearingFriction "Dry and viscous friction of a shaft in its bearings"
  extends Interfaces.TwoFlanges;
  extends Interfaces.Housed;
  extends Interfaces.DryFriction;
  parameter Units.Torque tau_c(min = 0) = 1 "Coulomb friction";
  parameter Units.RotationalDamping d = 0 "Viscous friction";
  parameter Units.Torque tau_s(min = 0) = 0 "Additional friction at low speed";
  parameter Units.AngularVelocity w_s(min = Constants.small) = 1 "Speed at which it has fallen to 37 percent";
  parameter Real peak(min = 1) = 1 "Largest friction at rest over friction while sliding at zero speed";
  Units.Angle phi "Angle relative to the housing";
  Units.Power loss "Power turned into heat";
equation
  phi = a.phi - support.phi;
  b.phi = a.phi;
  w_rel = der(phi);
  0 = a.tau + b.tau - tau;
  tau_support = -tau;

  free = false;
  f0 = tau_c + tau_s;
  f0_max = peak*f0;
  f_slide = Friction.stribeck(w_rel, tau_c, tau_s, d, w_s);
  loss = tau*w_rel;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {90, 0}}, color = {70, 70, 70}, thickness = 0.5),
      Rectangle(extent = {{-50, 10}, {50, 40}},
        lineColor = {70, 70, 70}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{-50, -40}, {50, -10}},
        lineColor = {70, 70, 70}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Line(points = {{0, -40}, {0, -90}}, color = {70, 70, 70}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>Sticks while the torque is small, slides else. While it sticks the shaft loses a degree of freedom; see
<code>Friction.StickSlip</code>.</p>
</html>"));
end BearingFriction;
