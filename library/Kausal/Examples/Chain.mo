within Kausal.Examples;
model Chain "A chain of bodies with revolute joints of general directions"
  extends Icons.Example;
  parameter Integer f(min = 1) = 6 "Number of joints";
  inner MultiBody.World world "Gravity"
    annotation(Placement(transformation(extent = {{-70, -10}, {-50, 10}})));
  MultiBody.Revolute joint[f](
    n = {{sin(i), cos(i), 0.5} for i in 1:f},
    q(start = {0.1*i for i in 1:f}, each fixed = true),
    qd(each start = 0, each fixed = true)) "Joints"
      annotation(Placement(transformation(extent = {{-30, -10}, {-10, 10}})));
  MultiBody.Link link[f](
    r = {{0.3, 0.05*cos(i), -0.2} for i in 1:f},
    r_CM = {{0.15, 0.02, -0.1 + 0.01*sin(i)} for i in 1:f},
    each m = 1, each I_11 = 0.02, each I_22 = 0.03, each I_33 = 0.025,
    each I_21 = 0.002, each I_31 = -0.001, each I_32 = 0.003) "Bodies"
      annotation(Placement(transformation(extent = {{10, -10}, {30, 10}})));
equation
  connect(world.frame, joint[1].a) annotation(Line(points = {{-50, 0}, {-30, 0}}, color = {90, 80, 40}));
  for i in 1:f loop
    connect(joint[i].b, link[i].a) annotation(Line(points = {{-10, 0}, {10, 0}}, color = {90, 80, 40}));
  end for;
  for i in 1:f - 1 loop
    connect(link[i].b, joint[i + 1].a) annotation(Line(points = {{30, 0}, {-30, 0}}, color = {90, 80, 40}));
  end for;
  annotation(
    experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-8),
    Diagram(coordinateSystem(extent = {{-80, -20}, {40, 30}})),
    Documentation(info = "<html>
<p>For measuring how the work grows with the number of joints.</p>
</html>"));
end Chain;
