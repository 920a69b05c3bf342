within Kausal.Examples;
model RobotArm "The robot's mechanics alone, falling"
  extends Icons.Example;
  RobotParts.Mechanics mechanics(
    r1(q(start = 0, fixed = true), qd(start = 0.5, fixed = true)),
    r2(q(start = 0.5, fixed = true), qd(start = 0, fixed = true)),
    r3(q(start = 0.5, fixed = true), qd(start = 0, fixed = true)),
    r4(q(start = 0.2, fixed = true), qd(start = 0, fixed = true)),
    r5(q(start = 0.3, fixed = true), qd(start = 0, fixed = true)),
    r6(q(start = 0, fixed = true), qd(start = 0, fixed = true))) "Moving parts, the drives open"
      annotation(Placement(transformation(extent = {{-40, -40}, {40, 40}})));
  annotation(
    experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-8),
    Diagram(coordinateSystem(extent = {{-50, -50}, {50, 60}})),
    Documentation(info = "<html>
<p>A tree of bodies with six revolute joints. The energy is constant.</p>
</html>"));
end RobotArm;
