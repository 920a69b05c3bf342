within Kausal.MultiBody.Planar;
model Prismatic "Joint that lets b slide relative to a"
  extends Interfaces.TwoFrames;
  parameter Real n[2] = {1, 0} "Direction of the motion, resolved in a" annotation(Evaluate = true);
  parameter StateSelect stateSelect = StateSelect.prefer "Are displacement and speed wanted as states?";
  parameter Boolean useAxis = false "Is there a flange that drives the joint?" annotation(Evaluate = true);
  Translational.Interfaces.Flange axis if useAxis "Drives b relative to a"
    annotation(Placement(transformation(extent = {{-10, 90}, {10, 110}})));
  Units.Position q(start = 0, stateSelect = stateSelect) "Displacement of b relative to a";
  Units.Velocity qd(start = 0, stateSelect = stateSelect) "Velocity of b relative to a";
  Units.Acceleration qdd "Acceleration of b relative to a";
  Units.Force f "Force driving b relative to a";
  Real e0[2] "Unit vector of the direction, resolved in the world frame";
protected
  final parameter Real e[2] = n/sqrt(n*n) "Unit vector of the direction, resolved in a" annotation(Evaluate = true);
  Translational.Interfaces.Terminal drive(f = f) "The axis, whether used or not"
    annotation(Placement(transformation(extent = {{-10, 60}, {10, 80}})));
equation
  e0 = {cos(a.phi)*e[1] - sin(a.phi)*e[2], sin(a.phi)*e[1] + cos(a.phi)*e[2]};
  qd = der(q);
  qdd = der(qd);
  b.r = a.r + e0*q;
  b.phi = a.phi;
  zeros(2) = a.f + b.f;
  0 = a.t + b.t + q*(e0[1]*b.f[2] - e0[2]*b.f[1]);
  f = -e0*b.f + residue(qdd);
  drive.s = q;
  connect(drive.flange, axis) annotation(Line(points = {{0, 70}, {0, 100}}, color = {70, 70, 70}));
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-50, 0}}, color = {90, 80, 40}, thickness = 0.5),
      Line(points = {{30, 0}, {90, 0}}, color = {90, 80, 40}, thickness = 0.5),
      Rectangle(extent = {{-50, -40}, {30, 40}},
        lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{-20, -15}, {60, 15}},
        lineColor = {90, 80, 40}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "%n")}),
    Diagram(coordinateSystem(extent = {{-100, -100}, {100, 100}})),
    Documentation(info = "<html>
<p>Frame <code>b</code> slides along a line that is fixed in frame <code>a</code>.</p>
</html>"));
end Prismatic;
