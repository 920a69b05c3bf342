within Kausal.Rotational;
model Brake "Brake with dry friction"
  extends Interfaces.TwoFlanges;
  extends Interfaces.Housed;
  extends Interfaces.DryFriction;
  parameter Real mu(min = 0) = 0.5 "Friction coefficient while sliding";
  parameter Real peak(min = 1) = 1 "Largest friction at rest over friction while sliding";
  parameter Units.Length r(min = 0) = 0.1 "Number of friction surfaces times mean radius";
  parameter Units.Force fn_max(min = 0) = 1 "Largest normal force";
  Blocks.Interfaces.RealInput u "Normal force over its largest value, from 0 to 1"
    annotation(Placement(transformation(extent = {{-10, 100}, {10, 120}})));
  Units.Angle phi "Angle relative to the housing";
  Units.Force fn "Normal force";
  Units.Power loss "Power turned into heat";
equation
  phi = a.phi - support.phi;
  b.phi = a.phi;
  w_rel = der(phi);
  0 = a.tau + b.tau - tau;
  tau_support = -tau;

  fn = fn_max*u;
  free = fn <= 0;
  f0 = mu*r*fn;
  f0_max = peak*f0;
  f_slide = f0;
  loss = tau*w_rel;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {90, 0}}, color = {70, 70, 70}, thickness = 0.5),
      Rectangle(extent = {{-10, -60}, {10, 60}},
        lineColor = {70, 70, 70}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Polygon(points = {{-30, 70}, {30, 70}, {0, 60}},
        lineColor = {70, 70, 70}, fillColor = {70, 70, 70}, fillPattern = FillPattern.Solid),
      Polygon(points = {{-30, -70}, {30, -70}, {0, -60}},
        lineColor = {70, 70, 70}, fillColor = {70, 70, 70}, fillPattern = FillPattern.Solid),
      Line(points = {{0, 90}, {0, 70}}, color = {70, 70, 70}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>Friction against the housing, pressed together by a signal; see <code>Friction.StickSlip</code>.</p>
</html>"));
end Brake;
