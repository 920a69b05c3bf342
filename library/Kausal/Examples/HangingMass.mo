within Kausal.Examples;
model HangingMass "A mass on a spring"
  extends Icons.Example;
  Translational.Fixed ceiling "Ceiling"
    annotation(Placement(transformation(origin = {0, 80}, extent = {{-10, -10}, {10, 10}}, rotation = 180)));
  Translational.SpringDamper spring(c = 100, d = 0.4) "Spring with some damping"
    annotation(Placement(transformation(origin = {0, 40}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Translational.Mass mass(m = 1, s(start = -0.2, fixed = true), v(start = 0, fixed = true)) "Mass"
    annotation(Placement(transformation(origin = {0, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Translational.Sources.ConstantForce weight(f = -Constants.g*mass.m) "Weight, downwards"
    annotation(Placement(transformation(origin = {0, -50}, extent = {{-10, -10}, {10, 10}}, rotation = 90)));
equation
  connect(ceiling.flange, spring.b) annotation(Line(points = {{0, 80}, {0, 30}}, color = {70, 70, 70}));
  connect(spring.a, mass.a) annotation(Line(points = {{0, 50}, {0, 10}}, color = {70, 70, 70}));
  connect(mass.b, weight.flange) annotation(Line(points = {{0, -10}, {0, -40}}, color = {70, 70, 70}));
  annotation(
    experiment(StartTime = 0, StopTime = 20, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-20, -70}, {20, 110}})),
    Documentation(info = "<html>
<p>The mass comes to rest at <code>-m*g/c</code>.</p>
</html>"));
end HangingMass;
