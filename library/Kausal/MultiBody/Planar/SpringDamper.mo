within Kausal.MultiBody.Planar;
model SpringDamper "Linear spring and damper along the line between two frames"
  extends Interfaces.TwoFrames;
  parameter Units.Stiffness c = 1 "Stiffness";
  parameter Units.Damping d = 0 "Damping";
  parameter Units.Length s0 = 0 "Length without tension";
  parameter Units.Length s_small(min = Constants.small) = 1e-10 "Smallest length to divide by";
  Units.Position r[2] "Position of b relative to a";
  Units.Length s "Distance of the two frames";
  Units.Velocity v "Rate of change of the distance";
  Units.Force f "Force that pulls the two frames together";
protected
  Real e[2] "Unit vector from a to b";
equation
  r = b.r - a.r;
  s = sqrt(r*r);
  e = r/noEvent(max(s, s_small));
  v = e*der(r);
  f = c*(s - s0) + d*v;
  a.f = -f*e;
  b.f = f*e;
  a.t = 0;
  b.t = 0;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-60, 0}}, color = {90, 80, 40}),
      Line(points = {{60, 0}, {90, 0}}, color = {90, 80, 40}),
      Line(points = {{-60, 40}, {-60, -40}}, color = {90, 80, 40}),
      Line(points = {{60, 40}, {60, -40}}, color = {90, 80, 40}),
      Line(points = {{-60, 40}, {-45, 60}, {-15, 20}, {15, 60}, {45, 20}, {60, 40}}, color = {90, 80, 40}),
      Line(points = {{-60, -40}, {-10, -40}}, color = {90, 80, 40}),
      Rectangle(extent = {{-30, -60}, {30, -20}},
        lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{30, -40}, {60, -40}}, color = {90, 80, 40}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "c=%c")}),
    Documentation(info = "<html>
<p>Pulls the two origins together with a force that depends on their distance and on its rate.</p>
</html>"));
end SpringDamper;
