within Kausal.MultiBody.Planar;
model Link "Bar with mass"
  extends Interfaces.TwoFrames;
  parameter Units.Position r[2] = {1, 0} "Vector from a to b for the angle zero" annotation(Evaluate = true);
  parameter Units.Position r_CM[2] = r/2
    "Vector from a to the centre of mass for the angle zero" annotation(Evaluate = true);
  parameter Units.Mass m = 1 "Mass";
  parameter Units.Inertia I(min = 0) = 0 "Moment of inertia about the centre of mass";
  Bar whole(r = r) "From a to b"
    annotation(Placement(transformation(extent = {{-10, -10}, {10, 10}})));
  Bar part(r = r_CM) "From a to the centre of mass"
    annotation(Placement(transformation(extent = {{-40, 30}, {-20, 50}})));
  Body body(m = m, I = I) "Mass"
    annotation(Placement(transformation(extent = {{10, 30}, {30, 50}})));
equation
  connect(a, whole.a) annotation(Line(points = {{-100, 0}, {-10, 0}}, color = {90, 80, 40}));
  connect(whole.b, b) annotation(Line(points = {{10, 0}, {100, 0}}, color = {90, 80, 40}));
  connect(a, part.a) annotation(Line(points = {{-100, 0}, {-70, 0}, {-70, 40}, {-40, 40}}, color = {90, 80, 40}));
  connect(part.b, body.a) annotation(Line(points = {{-20, 40}, {10, 40}}, color = {90, 80, 40}));
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-90, -15}, {90, 15}},
        lineColor = {90, 80, 40}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Ellipse(extent = {{-30, -30}, {30, 30}},
        lineColor = {90, 80, 40}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "m=%m")}),
    Diagram(coordinateSystem(extent = {{-100, -100}, {100, 100}})),
    Documentation(info = "<html>
<p>A bar with a body at its centre of mass, which is in the middle unless told otherwise.</p>
</html>"));
end Link;
