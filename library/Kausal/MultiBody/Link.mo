within Kausal.MultiBody;
model Link "Bar with mass"
  extends Interfaces.TwoFrames;
  parameter Units.Position r[3] = {1, 0, 0} "Vector from a to b, resolved in a" annotation(Evaluate = true);
  parameter Units.Position r_CM[3] = r/2
    "Vector from a to the centre of mass, resolved in a" annotation(Evaluate = true);
  parameter Units.Mass m = 1 "Mass";
  parameter Units.Inertia I_11 = 0 "Moment of inertia about the first axis, for the centre of mass";
  parameter Units.Inertia I_22 = 0 "Moment of inertia about the second axis, for the centre of mass";
  parameter Units.Inertia I_33 = 0 "Moment of inertia about the third axis, for the centre of mass";
  parameter Units.Inertia I_21 = 0 "Element 2,1 of the inertia tensor" annotation(Evaluate = true);
  parameter Units.Inertia I_31 = 0 "Element 3,1 of the inertia tensor" annotation(Evaluate = true);
  parameter Units.Inertia I_32 = 0 "Element 3,2 of the inertia tensor" annotation(Evaluate = true);
  Bar bar(r = r) "Geometry"
    annotation(Placement(transformation(extent = {{-10, -10}, {10, 10}})));
  Body body(m = m, r_CM = r_CM, I_11 = I_11, I_22 = I_22, I_33 = I_33, I_21 = I_21, I_31 = I_31, I_32 = I_32)
    "Mass"
      annotation(Placement(transformation(extent = {{-10, 30}, {10, 50}})));
equation
  connect(a, bar.a) annotation(Line(points = {{-100, 0}, {-10, 0}}, color = {90, 80, 40}));
  connect(bar.b, b) annotation(Line(points = {{10, 0}, {100, 0}}, color = {90, 80, 40}));
  connect(a, body.a) annotation(Line(points = {{-100, 0}, {-55, 0}, {-55, 40}, {-10, 40}}, color = {90, 80, 40}));
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
<p>A <code>Bar</code> and a <code>Body</code> at its frame <code>a</code>. Unless told otherwise the centre of mass is
in the middle.</p>
</html>"));
end Link;
