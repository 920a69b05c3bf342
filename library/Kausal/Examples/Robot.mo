within Kausal.Examples;
model Robot "Six-axis robot with motors, gears and control"
  extends Icons.Example;
  parameter Units.Angle q_begin[6] = {-1, 0.4, 0.9, 0, 0.6, -0.5} "Angles in the beginning";
  parameter Units.Angle q_end[6] = {1, -0.3, 1.5, 1.2, -0.4, 1} "Angles in the end";
  parameter Real ratio[6] = {120, 160, 100, 75, 80, 60} "Ratios of the gears";
  Blocks.Sources.PointToPoint path(
    n = 6,
    q_begin = q_begin,
    q_end = q_end,
    qd_max = {2.5, 2, 3, 4, 4, 6},
    qdd_max = {12, 10, 15, 40, 40, 60},
    startTime = 0.2) "Reference motion"
      annotation(Placement(transformation(extent = {{-90, -10}, {-70, 10}})));
  RobotParts.ElasticAxis axis1(ratio = ratio[1], J = 1.5e-3, c = 60, d = 0.03, tau_c = 0.45, ks = 0.5) "First drive"
    annotation(Placement(transformation(extent = {{-30, -85}, {-10, -65}})));
  RobotParts.ElasticAxis axis2(ratio = ratio[2], J = 1.5e-3, c = 70, d = 0.03, tau_c = 0.5, ks = 0.5) "Second drive"
    annotation(Placement(transformation(extent = {{-30, -55}, {-10, -35}})));
  RobotParts.ElasticAxis axis3(ratio = ratio[3], J = 1.2e-3, c = 50, d = 0.04, tau_c = 0.4, ks = 0.4) "Third drive"
    annotation(Placement(transformation(extent = {{-30, -25}, {-10, -5}})));
  RobotParts.RigidAxis axis4(ratio = ratio[4], J = 6e-4, tau_c = 0.2, ks = 0.2) "Fourth drive"
    annotation(Placement(transformation(extent = {{-30, 5}, {-10, 25}})));
  RobotParts.RigidAxis axis5(ratio = ratio[5], J = 6e-4, tau_c = 0.2, ks = 0.2) "Fifth drive"
    annotation(Placement(transformation(extent = {{-30, 35}, {-10, 55}})));
  RobotParts.RigidAxis axis6(ratio = ratio[6], J = 3e-4, tau_c = 0.1, ks = 0.1) "Sixth drive"
    annotation(Placement(transformation(extent = {{-30, 65}, {-10, 85}})));
  RobotParts.Mechanics mechanics "Moving parts"
    annotation(Placement(transformation(extent = {{20, -40}, {100, 40}})));
initial equation
  {mechanics.r1.q, mechanics.r2.q, mechanics.r3.q, mechanics.r4.q, mechanics.r5.q, mechanics.r6.q} = q_begin;
  {mechanics.r1.qd, mechanics.r2.qd, mechanics.r3.qd, mechanics.r4.qd, mechanics.r5.qd, mechanics.r6.qd} = zeros(6);
  {axis1.motor.rotor.phi, axis2.motor.rotor.phi, axis3.motor.rotor.phi} =
    {ratio[1]*q_begin[1], ratio[2]*q_begin[2], ratio[3]*q_begin[3]};
  {axis1.motor.rotor.w, axis2.motor.rotor.w, axis3.motor.rotor.w} = zeros(3);
equation
  connect(path.q[1], axis1.q_ref)
    annotation(Line(points = {{-69, 6}, {-50, 6}, {-50, -69}, {-31, -69}}, color = {0, 0, 127}));
  connect(path.q[2], axis2.q_ref)
    annotation(Line(points = {{-69, 6}, {-50, 6}, {-50, -39}, {-31, -39}}, color = {0, 0, 127}));
  connect(path.q[3], axis3.q_ref)
    annotation(Line(points = {{-69, 6}, {-50, 6}, {-50, -9}, {-31, -9}}, color = {0, 0, 127}));
  connect(path.q[4], axis4.q_ref)
    annotation(Line(points = {{-69, 6}, {-50, 6}, {-50, 21}, {-31, 21}}, color = {0, 0, 127}));
  connect(path.q[5], axis5.q_ref)
    annotation(Line(points = {{-69, 6}, {-50, 6}, {-50, 51}, {-31, 51}}, color = {0, 0, 127}));
  connect(path.q[6], axis6.q_ref)
    annotation(Line(points = {{-69, 6}, {-50, 6}, {-50, 81}, {-31, 81}}, color = {0, 0, 127}));
  connect(path.qd[1], axis1.qd_ref)
    annotation(Line(points = {{-69, 0}, {-50, 0}, {-50, -81}, {-31, -81}}, color = {0, 0, 127}));
  connect(path.qd[2], axis2.qd_ref)
    annotation(Line(points = {{-69, 0}, {-50, 0}, {-50, -51}, {-31, -51}}, color = {0, 0, 127}));
  connect(path.qd[3], axis3.qd_ref)
    annotation(Line(points = {{-69, 0}, {-50, 0}, {-50, -21}, {-31, -21}}, color = {0, 0, 127}));
  connect(path.qd[4], axis4.qd_ref)
    annotation(Line(points = {{-69, 0}, {-50, 0}, {-50, 9}, {-31, 9}}, color = {0, 0, 127}));
  connect(path.qd[5], axis5.qd_ref)
    annotation(Line(points = {{-69, 0}, {-50, 0}, {-50, 39}, {-31, 39}}, color = {0, 0, 127}));
  connect(path.qd[6], axis6.qd_ref)
    annotation(Line(points = {{-69, 0}, {-50, 0}, {-50, 69}, {-31, 69}}, color = {0, 0, 127}));
  connect(axis1.flange, mechanics.axis1)
    annotation(Line(points = {{-10, -75}, {5, -75}, {5, -32}, {20, -32}}, color = {70, 70, 70}));
  connect(axis2.flange, mechanics.axis2)
    annotation(Line(points = {{-10, -45}, {5, -45}, {5, -19}, {20, -19}}, color = {70, 70, 70}));
  connect(axis3.flange, mechanics.axis3)
    annotation(Line(points = {{-10, -15}, {5, -15}, {5, -6}, {20, -6}}, color = {70, 70, 70}));
  connect(axis4.flange, mechanics.axis4)
    annotation(Line(points = {{-10, 15}, {5, 15}, {5, 6}, {20, 6}}, color = {70, 70, 70}));
  connect(axis5.flange, mechanics.axis5)
    annotation(Line(points = {{-10, 45}, {5, 45}, {5, 19}, {20, 19}}, color = {70, 70, 70}));
  connect(axis6.flange, mechanics.axis6)
    annotation(Line(points = {{-10, 75}, {5, 75}, {5, 32}, {20, 32}}, color = {70, 70, 70}));
  annotation(
    experiment(StartTime = 0, StopTime = 2, Tolerance = 1e-6),
    Diagram(
      coordinateSystem(extent = {{-100, -100}, {110, 110}}),
      graphics = {
        Rectangle(extent = {{-40, -95}, {0, -2}}, lineColor = {150, 150, 150}, pattern = LinePattern.Dash),
        Text(extent = {{-40, -2}, {0, -10}}, textString = "elastic", textColor = {150, 150, 150}),
        Rectangle(extent = {{-40, 0}, {0, 95}}, lineColor = {150, 150, 150}, pattern = LinePattern.Dash),
        Text(extent = {{-40, 95}, {0, 87}}, textString = "rigid", textColor = {150, 150, 150})}),
    Documentation(info = "<html>
<p>An industrial robot moves from one position to another. Each axis has a motor, which is an electrical circuit with
its own current control, a gear (elastic in the first three axes) with dry friction, a tacho with filters, and a
cascade of position and speed control. Twelve states belong to the mechanics, two to each elastic gear, two to each
motor, three to each tacho filter and three to each controller: 66 in all.</p>
<p>The system is stiff because of the springs of the gears and the fast controllers, while the interesting motion
takes seconds. With the discretization of an implicit method inserted into the model, only six unknowns remain to be
iterated; see Elmqvist, Otter and Cellier, <i>Inline integration</i>.</p>
</html>"));
end Robot;
