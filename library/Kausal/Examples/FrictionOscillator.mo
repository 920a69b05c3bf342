within Kausal.Examples;
model FrictionOscillator "An oscillation that dry friction brings to rest"
  extends Icons.Example;
  Translational.Mass mass(m = 1, s(start = 0.49, fixed = true), v(start = 0, fixed = true)) "Mass"
    annotation(Placement(transformation(extent = {{10, -10}, {30, 10}})));
  Translational.SupportFriction friction(f_c = 2) "Dry friction of the ground"
    annotation(Placement(transformation(extent = {{50, -10}, {70, 10}})));
  Translational.Spring spring(c = 100) "Spring"
    annotation(Placement(transformation(extent = {{-30, -10}, {-10, 10}})));
  Translational.Fixed wall "Wall"
    annotation(Placement(transformation(origin = {-60, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
equation
  connect(wall.flange, spring.a) annotation(Line(points = {{-60, 0}, {-30, 0}}, color = {70, 70, 70}));
  connect(spring.b, mass.a) annotation(Line(points = {{-10, 0}, {10, 0}}, color = {70, 70, 70}));
  connect(mass.b, friction.a) annotation(Line(points = {{30, 0}, {50, 0}}, color = {70, 70, 70}));
  annotation(
    experiment(StartTime = 0, StopTime = 6, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-80, -20}, {80, 30}})),
    Documentation(info = "<html>
<p>Each half swing lasts <code>pi*sqrt(m/c)</code> and loses the amplitude <code>2*f_c/c</code> = 0.04 m. After
twelve half swings the mass stands at 0.01 m, where the spring is too weak to move it again, and stays there.</p>
</html>"));
end FrictionOscillator;
