within Kausal.Examples;
model FourBar "Spatial mechanism with one loop, closed by a cut-joint"
  extends Icons.Example;
  inner MultiBody.World world "Gravity"
    annotation(Placement(transformation(extent = {{-100, -10}, {-80, 10}})));
  MultiBody.Revolute j1(n = {1, 0, 0}, q(start = 0, fixed = true), qd(start = 5, fixed = true))
    "Turning crank: the states"
    annotation(Placement(transformation(extent = {{-60, 30}, {-40, 50}})));
  MultiBody.Link crank(r = {0, 0.2, 0}, m = 1, I_11 = 0.005, I_33 = 0.005) "Crank"
    annotation(Placement(transformation(extent = {{-30, 30}, {-10, 50}})));
  MultiBody.CutJoints.Spherical j2(allLevels = true) "Closes the loop"
    annotation(Placement(transformation(origin = {90, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  MultiBody.Bar offset(r = {0, 0.1, 0}) "Offset of the guide"
    annotation(Placement(transformation(extent = {{-70, -50}, {-50, -30}})));
  MultiBody.Prismatic j4(n = {1, 0, 0}, state = false, q(start = 0.8)) "Guide of the slider"
    annotation(Placement(transformation(extent = {{-40, -50}, {-20, -30}})));
  MultiBody.Body slider(m = 2) "Slider"
    annotation(Placement(transformation(extent = {{-10, -80}, {10, -60}})));
  MultiBody.Universal j3(n1 = {0, 0, 1}, n2 = {0, 1, 0}, state = false, first(q(start = -0.1)))
    "Between slider and coupler"
    annotation(Placement(transformation(extent = {{0, -50}, {20, -30}})));
  MultiBody.Link coupler(r = {-0.8, 0, 0}, m = 1.5, I_22 = 0.08, I_33 = 0.08) "Coupler"
    annotation(Placement(transformation(extent = {{40, -50}, {60, -30}})));
equation
  connect(world.frame, j1.a)
    annotation(Line(points = {{-80, 0}, {-70, 0}, {-70, 40}, {-60, 40}}, color = {90, 80, 40}));
  connect(j1.b, crank.a) annotation(Line(points = {{-40, 40}, {-30, 40}}, color = {90, 80, 40}));
  connect(crank.b, j2.a) annotation(Line(points = {{-10, 40}, {90, 40}, {90, 10}}, color = {90, 80, 40}));
  connect(world.frame, offset.a)
    annotation(Line(points = {{-80, 0}, {-75, 0}, {-75, -40}, {-70, -40}}, color = {90, 80, 40}));
  connect(offset.b, j4.a) annotation(Line(points = {{-50, -40}, {-40, -40}}, color = {90, 80, 40}));
  connect(j4.b, slider.a)
    annotation(Line(points = {{-20, -40}, {-15, -40}, {-15, -70}, {-10, -70}}, color = {90, 80, 40}));
  connect(j4.b, j3.a) annotation(Line(points = {{-20, -40}, {0, -40}}, color = {90, 80, 40}));
  connect(j3.b, coupler.a) annotation(Line(points = {{20, -40}, {40, -40}}, color = {90, 80, 40}));
  connect(coupler.b, j2.b) annotation(Line(points = {{60, -40}, {90, -40}, {90, -10}}, color = {90, 80, 40}));
  annotation(
    experiment(StartTime = 0, StopTime = 5, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-110, -90}, {110, 70}})),
    Documentation(info = "<html>
<p>A crank moves a slider by a coupler, in three dimensions. The spherical joint <code>j2</code> is the cut-joint;
the angle of the crank is the only degree of freedom, and the coordinates of the cardan joint and of the slider
follow from it: three nonlinear equations for the positions, three linear ones for the velocities, and seven for the
accelerations and the constraint forces. This is the mechanism of the paper on tearing.</p>
</html>"));
end FourBar;
