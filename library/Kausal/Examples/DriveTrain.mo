within Kausal.Examples;
model DriveTrain "Two inertias and a gear, rigidly connected"
  extends Icons.Example;
  Rotational.Sources.ConstantTorque motor(tau = 10) "Torque of the motor"
    annotation(Placement(transformation(extent = {{-80, -10}, {-60, 10}})));
  Rotational.Inertia shaft1(J = 0.5) "Rotor of the motor"
    annotation(Placement(transformation(extent = {{-45, -10}, {-25, 10}})));
  Rotational.Gear gear(ratio = 4) "Slows down"
    annotation(Placement(transformation(extent = {{-10, -10}, {10, 10}})));
  Rotational.Inertia shaft2(J = 12, phi(start = 0, fixed = true), w(start = 0, fixed = true)) "Load"
    annotation(Placement(transformation(extent = {{25, -10}, {45, 10}})));
equation
  connect(motor.flange, shaft1.a) annotation(Line(points = {{-60, 0}, {-45, 0}}, color = {70, 70, 70}));
  connect(shaft1.b, gear.a) annotation(Line(points = {{-25, 0}, {-10, 0}}, color = {70, 70, 70}));
  connect(gear.b, shaft2.a) annotation(Line(points = {{10, 0}, {25, 0}}, color = {70, 70, 70}));
  annotation(
    experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-90, -20}, {60, 30}})),
    Documentation(info = "<html>
<p>The example by which relaxing is explained. The load is accelerated with <code>ratio*tau/(J2 + ratio^2*J1)</code>
= 2 rad/s2.</p>
</html>"));
end DriveTrain;
