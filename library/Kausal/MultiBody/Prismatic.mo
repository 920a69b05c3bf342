within Kausal.MultiBody;
model Prismatic "Joint with one direction of translation"
  extends Interfaces.Joint;
  parameter Boolean useAxis = false "Is there a flange that drives the joint?" annotation(Evaluate = true);
  Translational.Interfaces.Flange axis if useAxis "Drives b relative to a"
    annotation(Placement(transformation(extent = {{-10, 90}, {10, 110}})));
  Units.Position q(start = 0, stateSelect = if state then stateSelect else StateSelect.default) "Displacement";
  Units.Velocity qd(start = 0, stateSelect = if state then stateSelect else StateSelect.default)
    "Velocity of b relative to a";
  Units.Acceleration qdd(start = 0) "Acceleration of b relative to a";
  Units.Force f "Force driving b relative to a";
protected
  Translational.Interfaces.Terminal drive(f = f) "The axis, whether used or not"
    annotation(Placement(transformation(extent = {{-10, 60}, {10, 80}})));
  Units.Position r[3] "Position of b relative to a, resolved in both frames";
  Real tear_q "Makes q a tearing variable where it is not a state";
  Real tear_qd "Makes qd a tearing variable where it is not a state";
equation
  Connections.branch(a.m, b.m);
  if state then
    der(q) = qd;
    der(qd) = qdd;
  end if;
  r = e*q;

  if Connections.rooted(a.m) then
    b.m.r = a.m.r + transpose(a.m.S)*r;
    b.m.S = a.m.S;
    b.m.vel = a.m.vel + cross(a.m.omega, r) + e*qd;
    b.m.omega = a.m.omega;
    b.m.acc = relax(a.m.acc) + cross(relax(a.m.alpha), r) + e*qdd + cross(a.m.omega, cross(a.m.omega, r) + 2*e*qd);
    b.m.alpha = relax(a.m.alpha);
    a.f = -b.f;
    a.t = -b.t - cross(r, b.f);
    f = -e*b.f + residue(qdd);
  else
    a.m.r = b.m.r - transpose(b.m.S)*r;
    a.m.S = b.m.S;
    a.m.vel = b.m.vel - cross(b.m.omega, r) - e*qd;
    a.m.omega = b.m.omega;
    a.m.acc = relax(b.m.acc) - cross(relax(b.m.alpha), r) - e*qdd - cross(b.m.omega, cross(b.m.omega, r) + 2*e*qd);
    a.m.alpha = relax(b.m.alpha);
    b.f = -a.f;
    b.t = -a.t + cross(r, a.f);
    f = e*a.f + residue(qdd);
  end if;
  tear_q = residue(q);
  tear_qd = residue(qd);

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
<p>Frame <code>b</code> is displaced by <code>q</code> along the axis <code>n</code> and has the orientation of frame
<code>a</code>. For <code>state</code> see the package.</p>
</html>"));
end Prismatic;
