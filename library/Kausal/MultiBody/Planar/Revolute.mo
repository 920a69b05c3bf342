within Kausal.MultiBody.Planar;
model Revolute "Joint that lets b turn relative to a"
  extends Interfaces.TwoFrames;
  parameter StateSelect stateSelect = StateSelect.prefer "Are angle and speed wanted as states?";
  parameter Boolean useAxis = false "Is there a flange that drives the joint?" annotation(Evaluate = true);
  Rotational.Interfaces.Flange axis if useAxis "Drives b relative to a"
    annotation(Placement(transformation(extent = {{-10, 90}, {10, 110}})));
  Units.Angle q(start = 0, stateSelect = stateSelect) "Angle of b relative to a";
  Units.AngularVelocity qd(start = 0, stateSelect = stateSelect) "Angular velocity of b relative to a";
  Units.AngularAcceleration qdd "Angular acceleration of b relative to a";
  Units.Torque tau "Torque driving b relative to a";
protected
  Rotational.Interfaces.Terminal drive(tau = tau) "The axis, whether used or not"
    annotation(Placement(transformation(extent = {{-10, 60}, {10, 80}})));
equation
  q = b.phi - a.phi;
  qd = der(q);
  qdd = der(qd);
  b.r = a.r;
  zeros(2) = a.f + b.f;
  0 = a.t + b.t;
  tau = -b.t + residue(qdd);
  drive.phi = q;
  connect(drive.flange, axis) annotation(Line(points = {{0, 70}, {0, 100}}, color = {70, 70, 70}));
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-30, 0}}, color = {90, 80, 40}, thickness = 0.5),
      Line(points = {{30, 0}, {90, 0}}, color = {90, 80, 40}, thickness = 0.5),
      Ellipse(extent = {{-30, -30}, {30, 30}},
        lineColor = {90, 80, 40}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Line(points = {{0, 30}, {0, 90}}, color = {90, 80, 40}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Diagram(coordinateSystem(extent = {{-100, -100}, {100, 100}})),
    Documentation(info = "<html>
<p>Both frames have the same origin; the torque <code>tau</code> is that of the flange <code>axis</code>, and zero if
there is none.</p>
</html>"));
end Revolute;
