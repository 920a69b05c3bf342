within Kausal.MultiBody;
model Bar "Rigid bar without mass"
  extends Interfaces.TwoFrames;
  parameter Units.Position r[3] = {1, 0, 0} "Vector from a to b, resolved in a" annotation(Evaluate = true);
equation
  Connections.branch(a.m, b.m);
  b.m.r = a.m.r + transpose(a.m.S)*r;
  b.m.S = a.m.S;
  b.m.vel = a.m.vel + cross(a.m.omega, r);
  b.m.omega = a.m.omega;
  b.m.acc = a.m.acc + cross(a.m.alpha, r) + cross(a.m.omega, cross(a.m.omega, r));
  b.m.alpha = a.m.alpha;
  a.f = -b.f;
  a.t = -b.t - cross(r, b.f);
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-90, -8}, {90, 8}},
        lineColor = {90, 80, 40}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "%r")}),
    Documentation(info = "<html>
<p>Frame <code>b</code> stands at the point <code>r</code> of frame <code>a</code> and has the same orientation.</p>
</html>"));
end Bar;
