within Kausal.Examples;
model SliderCrank "A loop in a plane"
  extends Icons.Example;
  inner MultiBody.Planar.World world "Gravity"
    annotation(Placement(transformation(extent = {{-100, -10}, {-80, 10}})));
  MultiBody.Planar.Revolute bearing(q(start = 0.5, fixed = true), qd(start = 10, fixed = true)) "Bearing of the crank"
    annotation(Placement(transformation(extent = {{-70, 20}, {-50, 40}})));
  MultiBody.Planar.Link crank(r = {0.1, 0}, m = 0.5, I = 0.001) "Crank"
    annotation(Placement(transformation(extent = {{-40, 20}, {-20, 40}})));
  MultiBody.Planar.Revolute pin(q(start = -0.66), stateSelect = StateSelect.default) "Between crank and rod"
    annotation(Placement(transformation(extent = {{-10, 20}, {10, 40}})));
  MultiBody.Planar.Link rod(r = {0.3, 0}, m = 0.4, I = 0.003) "Connecting rod"
    annotation(Placement(transformation(extent = {{20, 20}, {40, 40}})));
  MultiBody.Planar.Revolute bolt(q(start = 0.16), stateSelect = StateSelect.default) "Between rod and piston"
    annotation(Placement(transformation(origin = {60, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  MultiBody.Planar.Prismatic guide(n = {1, 0}, q(start = 0.38), stateSelect = StateSelect.default)
    "Guide of the piston"
    annotation(Placement(transformation(extent = {{-40, -40}, {-20, -20}})));
  MultiBody.Planar.Body piston(m = 0.6, I = 0) "Piston"
    annotation(Placement(transformation(extent = {{20, -70}, {40, -50}})));
equation
  connect(world.frame, bearing.a)
    annotation(Line(points = {{-80, 0}, {-75, 0}, {-75, 30}, {-70, 30}}, color = {90, 80, 40}));
  connect(bearing.b, crank.a) annotation(Line(points = {{-50, 30}, {-40, 30}}, color = {90, 80, 40}));
  connect(crank.b, pin.a) annotation(Line(points = {{-20, 30}, {-10, 30}}, color = {90, 80, 40}));
  connect(pin.b, rod.a) annotation(Line(points = {{10, 30}, {20, 30}}, color = {90, 80, 40}));
  connect(rod.b, bolt.a) annotation(Line(points = {{40, 30}, {60, 30}, {60, 10}}, color = {90, 80, 40}));
  connect(world.frame, guide.a)
    annotation(Line(points = {{-80, 0}, {-60, 0}, {-60, -30}, {-40, -30}}, color = {90, 80, 40}));
  connect(guide.b, bolt.b) annotation(Line(points = {{-20, -30}, {60, -30}, {60, -10}}, color = {90, 80, 40}));
  connect(guide.b, piston.a)
    annotation(Line(points = {{-20, -30}, {0, -30}, {0, -60}, {20, -60}}, color = {90, 80, 40}));
  annotation(
    experiment(StartTime = 0, StopTime = 2, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-110, -80}, {80, 60}})),
    Documentation(info = "<html>
<p>The position of the piston is <code>r*cos(q) + sqrt(L^2 - (r*sin(q))^2)</code>. Without friction the energy is
constant.</p>
</html>"));
end SliderCrank;
