within Kausal.MultiBody;
model Revolute "Joint with one axis of rotation"
  extends Interfaces.Joint;
  parameter Boolean useAxis = false "Is there a flange that drives the joint?" annotation(Evaluate = true);
  Rotational.Interfaces.Flange axis if useAxis "Drives b relative to a"
    annotation(Placement(transformation(extent = {{-10, 90}, {10, 110}})));
  Units.Angle q(start = 0, stateSelect = if state then stateSelect else StateSelect.default) "Angle";
  Units.AngularVelocity qd(start = 0, stateSelect = if state then stateSelect else StateSelect.default)
    "Angular velocity of b relative to a";
  Units.AngularAcceleration qdd(start = 0) "Angular acceleration of b relative to a";
  Units.Torque tau "Torque driving b relative to a";
  Real S_rel[3, 3] "Rotation matrix from a to b";
protected
  Rotational.Interfaces.Terminal drive(tau = tau) "The axis, whether used or not"
    annotation(Placement(transformation(extent = {{-10, 60}, {10, 80}})));
  Real tear_q "Makes q a tearing variable where it is not a state";
  Real tear_qd "Makes qd a tearing variable where it is not a state";
equation
  Connections.branch(a.m, b.m);
  if state then
    der(q) = qd;
    der(qd) = qdd;
  end if;
  S_rel = outerProduct(e, e) + (identity(3) - outerProduct(e, e))*cos(q) - skew(e)*sin(q);

  if Connections.rooted(a.m) then
    b.m.r = a.m.r;
    b.m.S = S_rel*a.m.S;
    b.m.vel = S_rel*a.m.vel;
    b.m.omega = S_rel*a.m.omega + e*qd;
    b.m.acc = S_rel*relax(a.m.acc);
    b.m.alpha = S_rel*relax(a.m.alpha) + e*qdd + cross(b.m.omega, e*qd);
    a.f = -transpose(S_rel)*b.f;
    a.t = -transpose(S_rel)*b.t;
    tau = -e*b.t + residue(qdd);
  else
    a.m.r = b.m.r;
    a.m.S = transpose(S_rel)*b.m.S;
    a.m.vel = transpose(S_rel)*b.m.vel;
    a.m.omega = transpose(S_rel)*b.m.omega - e*qd;
    a.m.acc = transpose(S_rel)*relax(b.m.acc);
    a.m.alpha = transpose(S_rel)*relax(b.m.alpha) - e*qdd - cross(a.m.omega, e*qd);
    b.f = -S_rel*a.f;
    b.t = -S_rel*a.t;
    tau = e*a.t + residue(qdd);
  end if;
  tear_q = residue(q);
  tear_qd = residue(qd);

  drive.phi = q;
  connect(drive.flange, axis) annotation(Line(points = {{0, 70}, {0, 100}}, color = {70, 70, 70}));
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-30, 0}}, color = {90, 80, 40}, thickness = 0.5),
      Line(points = {{30, 0}, {90, 0}}, color = {90, 80, 40}, thickness = 0.5),
      Rectangle(extent = {{-30, -50}, {30, 50}},
        lineColor = {90, 80, 40}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Line(points = {{0, 50}, {0, 90}}, color = {90, 80, 40}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "%n")}),
    Diagram(coordinateSystem(extent = {{-100, -100}, {100, 100}})),
    Documentation(info = "<html>
<p>Frame <code>b</code> is turned by the angle <code>q</code> about the axis <code>n</code> relative to frame
<code>a</code>; for <code>q = 0</code> both have the same orientation. The torque <code>tau</code> is that of the
flange <code>axis</code>, and zero if there is none.</p>
<p>With <code>state = false</code> the joint has no equations <code>der(q) = qd</code> and <code>der(qd) =
qdd</code>; a cut-joint with <code>allLevels = true</code> must then determine them.</p>
<p>Either frame may be the one towards the world: the equations are written from there outwards.</p>
</html>"));
end Revolute;
