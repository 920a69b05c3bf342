within Kausal.Examples;
model ElasticDriveTrain "Drive train with an elastic shaft and friction"
  extends Icons.Example;
  Blocks.Sources.Pulse pulse(amplitude = 20, period = 4, width = 0.25, startTime = 0.2)
    "On for a second, off for three"
    annotation(Placement(transformation(extent = {{-115, -10}, {-95, 10}})));
  Rotational.Sources.Torque motor "Torque of the motor"
    annotation(Placement(transformation(extent = {{-90, -10}, {-70, 10}})));
  Rotational.Inertia rotor(J = 0.1) "Rotor of the motor"
    annotation(Placement(transformation(extent = {{-60, -10}, {-40, 10}})));
  Rotational.Gear gear(ratio = 5) "Slows down"
    annotation(Placement(transformation(extent = {{-30, -10}, {-10, 10}})));
  Rotational.SpringDamper shaft(c = 2000, d = 5) "Elastic shaft"
    annotation(Placement(transformation(extent = {{0, -10}, {20, 10}})));
  Rotational.Inertia load(J = 5, phi(start = 0, fixed = true), w(start = 0, fixed = true)) "Load"
    annotation(Placement(transformation(extent = {{30, -10}, {50, 10}})));
  Rotational.BearingFriction bearing(tau_c = 25, d = 1) "Friction of the load"
    annotation(Placement(transformation(extent = {{60, -10}, {80, 10}})));
initial equation
  shaft.phi_rel = 0;
  shaft.w_rel = 0;
equation
  connect(pulse.y, motor.tau) annotation(Line(points = {{-94, 0}, {-91, 0}}, color = {0, 0, 127}));
  connect(motor.flange, rotor.a) annotation(Line(points = {{-70, 0}, {-60, 0}}, color = {70, 70, 70}));
  connect(rotor.b, gear.a) annotation(Line(points = {{-40, 0}, {-30, 0}}, color = {70, 70, 70}));
  connect(gear.b, shaft.a) annotation(Line(points = {{-10, 0}, {0, 0}}, color = {70, 70, 70}));
  connect(shaft.b, load.a) annotation(Line(points = {{20, 0}, {30, 0}}, color = {70, 70, 70}));
  connect(load.b, bearing.a) annotation(Line(points = {{50, 0}, {60, 0}}, color = {70, 70, 70}));
  annotation(
    experiment(StartTime = 0, StopTime = 8, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-130, -20}, {90, 30}})),
    Documentation(info = "<html>
<p>While the torque is on the load is accelerated; then friction slows it down until it stands still, and the shaft
swings out with the load stuck.</p>
</html>"));
end ElasticDriveTrain;
