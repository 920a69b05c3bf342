within Kausal.Examples;
model FurutaPendulum "A pendulum on a turning arm"
  extends Icons.Example;
  inner MultiBody.World world "Gravity"
    annotation(Placement(transformation(extent = {{-90, -10}, {-70, 10}})));
  MultiBody.Revolute turn(n = {0, 0, 1}, useAxis = true, q(start = 0, fixed = true), qd(start = 3, fixed = true))
    "Vertical axis"
    annotation(Placement(transformation(extent = {{-60, -10}, {-40, 10}})));
  MultiBody.Link arm(r = {0.4, 0, 0}, m = 0.3, I_22 = 0.004, I_33 = 0.004) "Arm"
    annotation(Placement(transformation(extent = {{-30, -10}, {-10, 10}})));
  MultiBody.Revolute swing(n = {1, 0, 0}, useAxis = true, q(start = 1, fixed = true), qd(start = 0, fixed = true))
    "Axis along the arm"
    annotation(Placement(transformation(extent = {{0, -10}, {20, 10}})));
  MultiBody.Link pendulum(r = {0, 0, -0.5}, m = 0.2, I_11 = 0.004, I_22 = 0.004) "Pendulum"
    annotation(Placement(transformation(extent = {{30, -10}, {50, 10}})));
  Rotational.Damper damper1(d = 0.002) "Losses of the vertical axis"
    annotation(Placement(transformation(extent = {{-80, 40}, {-60, 60}})));
  Rotational.Damper damper2(d = 0.001) "Losses of the other axis"
    annotation(Placement(transformation(extent = {{-20, 40}, {0, 60}})));
  Rotational.Fixed fixed1 "Reference"
    annotation(Placement(transformation(extent = {{-105, 40}, {-85, 60}})));
  Rotational.Fixed fixed2 "Reference"
    annotation(Placement(transformation(extent = {{-45, 40}, {-25, 60}})));
equation
  connect(world.frame, turn.a) annotation(Line(points = {{-70, 0}, {-60, 0}}, color = {90, 80, 40}));
  connect(turn.b, arm.a) annotation(Line(points = {{-40, 0}, {-30, 0}}, color = {90, 80, 40}));
  connect(arm.b, swing.a) annotation(Line(points = {{-10, 0}, {0, 0}}, color = {90, 80, 40}));
  connect(swing.b, pendulum.a) annotation(Line(points = {{20, 0}, {30, 0}}, color = {90, 80, 40}));
  connect(fixed1.flange, damper1.a) annotation(Line(points = {{-95, 50}, {-80, 50}}, color = {70, 70, 70}));
  connect(damper1.b, turn.axis) annotation(Line(points = {{-60, 50}, {-50, 50}, {-50, 10}}, color = {70, 70, 70}));
  connect(fixed2.flange, damper2.a) annotation(Line(points = {{-35, 50}, {-20, 50}}, color = {70, 70, 70}));
  connect(damper2.b, swing.axis) annotation(Line(points = {{0, 50}, {10, 50}, {10, 10}}, color = {70, 70, 70}));
  annotation(
    experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-120, -20}, {60, 80}})),
    Documentation(info = "<html>
<p>The arm turns about the vertical and carries a pendulum that swings across it. Energy is lost in the two dampers
only: <code>der(E) = -d1*turn.qd^2 - d2*swing.qd^2</code>.</p>
</html>"));
end FurutaPendulum;
