within Kausal.Examples.RobotParts;
model GearFriction "Dry and viscous friction of motor and gear"
  extends Rotational.Interfaces.TwoFlanges;
  extends Rotational.Interfaces.Housed;
  extends Rotational.Interfaces.DryFriction;
  parameter Units.Torque tau_c(min = 0) = 0.4 "Coulomb friction";
  parameter Units.RotationalDamping d = 1e-3 "Viscous friction";
  parameter Real peak(min = 1) = 1.1 "Largest friction at rest over friction while sliding at zero speed";
  Units.Angle phi "Angle relative to the housing";
  Units.Power loss "Power turned into heat";
equation
  phi = a.phi - support.phi;
  b.phi = a.phi;
  w_rel = der(phi);
  0 = a.tau + b.tau - tau;
  tau_support = -tau;

  free = false;
  f0 = tau_c;
  f0_max = peak*f0;
  // Linear in the speed, for the direction of sliding is known.
  f_slide = tau_c + d*(if pre(mode) == -1 then -w_rel else w_rel);
  loss = tau*w_rel;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {90, 0}}, color = {70, 70, 70}, thickness = 0.5),
      Rectangle(extent = {{-50, 10}, {50, 40}},
        lineColor = {70, 70, 70}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{-50, -40}, {50, -10}},
        lineColor = {70, 70, 70}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>Sticks and slides; see <code>Friction.StickSlip</code>. While it slides the friction is linear in the speed, so that
an inlined step need not iterate on it.</p>
</html>"));
end GearFriction;
