within Kausal.MultiBody;
model FixedRotation "Frame turned by a fixed angle"
  extends Interfaces.TwoFrames;
  parameter Real n[3] = {0, 0, 1} "Axis of the rotation" annotation(Evaluate = true);
  parameter Units.Angle angle = 0 "Angle by which b is turned relative to a" annotation(Evaluate = true);
protected
  final parameter Real e[3] = n/sqrt(n*n) "Unit vector of the axis" annotation(Evaluate = true);
  final parameter Real S_rel[3, 3] = outerProduct(e, e) + (identity(3) - outerProduct(e, e))*cos(angle) -
    skew(e)*sin(angle) "Rotation matrix from a to b" annotation(Evaluate = true);
equation
  Connections.branch(a.m, b.m);
  a.m.r = b.m.r;
  if Connections.rooted(a.m) then
    b.m.S = S_rel*a.m.S;
    b.m.vel = S_rel*a.m.vel;
    b.m.omega = S_rel*a.m.omega;
    b.m.acc = S_rel*a.m.acc;
    b.m.alpha = S_rel*a.m.alpha;
    a.f = -transpose(S_rel)*b.f;
    a.t = -transpose(S_rel)*b.t;
  else
    a.m.S = transpose(S_rel)*b.m.S;
    a.m.vel = transpose(S_rel)*b.m.vel;
    a.m.omega = transpose(S_rel)*b.m.omega;
    a.m.acc = transpose(S_rel)*b.m.acc;
    a.m.alpha = transpose(S_rel)*b.m.alpha;
    b.f = -S_rel*a.f;
    b.t = -S_rel*a.t;
  end if;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {0, 0}, {90, 40}}, color = {90, 80, 40}),
      Line(points = {{40, 0}, {38, 10}, {34, 15}}, color = {90, 80, 40}, smooth = Smooth.Bezier),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "%angle")}),
    Documentation(info = "<html>
<p>Both frames have the same origin; frame <code>b</code> is turned relative to frame <code>a</code>.</p>
</html>"));
end FixedRotation;
