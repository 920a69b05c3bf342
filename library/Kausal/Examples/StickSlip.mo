within Kausal.Examples;
model StickSlip "A mass on a moving belt sticks and slips"
  extends Icons.Example;
  Translational.Mass mass(m = 1, s(start = 0, fixed = true), v(start = 0.1, fixed = true))
    "Mass, moving with the belt"
    annotation(Placement(transformation(extent = {{10, -10}, {30, 10}})));
  Translational.BeltFriction belt(fn = 10, mu = 0.2, mu_s = 0.2, v_s = 0.05, v_belt = 0.1) "Belt"
    annotation(Placement(transformation(extent = {{30, -40}, {50, -20}})));
  Translational.Spring spring(c = 50) "Holds the mass"
    annotation(Placement(transformation(extent = {{-30, -10}, {-10, 10}})));
  Translational.Fixed wall "Wall"
    annotation(Placement(transformation(origin = {-60, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
equation
  connect(wall.flange, spring.a) annotation(Line(points = {{-60, 0}, {-30, 0}}, color = {70, 70, 70}));
  connect(spring.b, mass.a) annotation(Line(points = {{-10, 0}, {10, 0}}, color = {70, 70, 70}));
  connect(mass.b, belt.flange) annotation(Line(points = {{30, 0}, {40, 0}, {40, -20}}, color = {70, 70, 70}));
  annotation(
    experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-80, -50}, {60, 30}})),
    Documentation(info = "<html>
<p>Friction falls with the speed, so that the mass cannot glide steadily: it sticks to the belt until the spring has
become strong enough, slips back, and is caught again.</p>
</html>"));
end StickSlip;
