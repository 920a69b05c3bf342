within Kausal.Rotational;
model Clutch "Clutch with dry friction"
  extends Interfaces.TwoFlanges;
  extends Interfaces.DryFriction;
  parameter Real mu(min = 0) = 0.5 "Friction coefficient while sliding";
  parameter Real peak(min = 1) = 1 "Largest friction at rest over friction while sliding";
  parameter Units.Length r(min = 0) = 0.1 "Number of friction surfaces times mean radius";
  parameter Units.Force fn_max(min = 0) = 1 "Largest normal force";
  Blocks.Interfaces.RealInput u "Normal force over its largest value, from 0 to 1"
    annotation(Placement(transformation(extent = {{-10, 100}, {10, 120}})));
  Units.Angle phi_rel(start = 0, stateSelect = StateSelect.prefer) "Angle of b relative to a";
  Units.Force fn "Normal force";
  Units.Power loss "Power turned into heat";
equation
  phi_rel = b.phi - a.phi;
  w_rel = der(phi_rel);
  b.tau = tau;
  a.tau = -tau;

  fn = fn_max*u;
  free = fn <= 0;
  f0 = mu*r*fn;
  f0_max = peak*f0;
  f_slide = f0;
  loss = tau*w_rel;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-20, 0}}, color = {70, 70, 70}, thickness = 0.5),
      Line(points = {{20, 0}, {90, 0}}, color = {70, 70, 70}, thickness = 0.5),
      Rectangle(extent = {{-30, -60}, {-10, 60}},
        lineColor = {70, 70, 70}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{10, -60}, {30, 60}},
        lineColor = {70, 70, 70}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Line(points = {{0, 90}, {0, 60}}, color = {70, 70, 70}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>Open (<code>free</code>) while the normal force is not positive. Closed, the two sides slide on each other until
the relative speed is zero and then stick, as long as the torque does not exceed what friction can hold.</p>
</html>"));
end Clutch;
