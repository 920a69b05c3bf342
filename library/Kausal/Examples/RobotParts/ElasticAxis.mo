within Kausal.Examples.RobotParts;
model ElasticAxis "Drive of one axis, with an elastic gear"
  extends Drive;
  parameter Units.RotationalStiffness c = 40 "Stiffness of the gear, seen from the motor";
  parameter Units.RotationalDamping d = 0.01 "Damping of the gear, seen from the motor";
  ElasticGear gear(ratio = ratio, c = c, d = d, tau_c = tau_c) "Gear"
    annotation(Placement(transformation(extent = {{60, -10}, {80, 10}})));
equation
  connect(motor.flange, gear.a) annotation(Line(points = {{10, 0}, {60, 0}}, color = {70, 70, 70}));
  connect(gear.b, flange) annotation(Line(points = {{80, 0}, {100, 0}}, color = {70, 70, 70}));
  annotation(
    Icon(graphics = {
      Line(points = {{60, 30}, {70, 50}, {80, 10}, {90, 30}}, color = {0, 0, 0})}),
    Diagram(coordinateSystem(extent = {{-100, -100}, {100, 100}})),
    Documentation(info = "<html>
<p>Drive of one of the first three axes: motor, controller, and a gear with elasticity and friction.</p>
</html>"));
end ElasticAxis;
