within Kausal.Examples;
model Stops "A mass thrown back and forth between two stops"
  extends Icons.Example;
  Translational.Mass mass(m = 1, s(start = 0, fixed = true), v(start = 2, fixed = true)) "Mass"
    annotation(Placement(transformation(extent = {{-10, -10}, {10, 10}})));
  Translational.Stop left(c = 1e5, d = 50) "Left stop"
    annotation(Placement(transformation(extent = {{-50, -10}, {-30, 10}})));
  Translational.Stop right(c = 1e5, d = 50) "Right stop"
    annotation(Placement(transformation(extent = {{30, -10}, {50, 10}})));
  Translational.Fixed leftWall(s0 = -1) "Left wall"
    annotation(Placement(transformation(origin = {-80, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Translational.Fixed rightWall(s0 = 1) "Right wall"
    annotation(Placement(transformation(origin = {80, 0}, extent = {{-10, -10}, {10, 10}}, rotation = 90)));
equation
  connect(leftWall.flange, left.a) annotation(Line(points = {{-80, 0}, {-50, 0}}, color = {70, 70, 70}));
  connect(left.b, mass.a) annotation(Line(points = {{-30, 0}, {-10, 0}}, color = {70, 70, 70}));
  connect(mass.b, right.a) annotation(Line(points = {{10, 0}, {30, 0}}, color = {70, 70, 70}));
  connect(right.b, rightWall.flange) annotation(Line(points = {{50, 0}, {80, 0}}, color = {70, 70, 70}));
  annotation(
    experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-100, -20}, {100, 30}})),
    Documentation(info = "<html>
<p>Between the stops the mass moves freely. In a stop it meets a spring and a damper, and loses a part of its energy
each time.</p>
</html>"));
end Stops;
