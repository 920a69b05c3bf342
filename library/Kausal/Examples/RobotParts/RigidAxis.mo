within Kausal.Examples.RobotParts;
model RigidAxis "Drive of one axis, with a rigid gear"
  extends Drive;
  RigidGear gear(ratio = ratio, tau_c = tau_c) "Gear"
    annotation(Placement(transformation(extent = {{60, -10}, {80, 10}})));
equation
  connect(motor.flange, gear.a) annotation(Line(points = {{10, 0}, {60, 0}}, color = {70, 70, 70}));
  connect(gear.b, flange) annotation(Line(points = {{80, 0}, {100, 0}}, color = {70, 70, 70}));
  annotation(
    Diagram(coordinateSystem(extent = {{-100, -100}, {100, 100}})),
    Documentation(info = "<html>
<p>Drive of one of the last three axes: motor, controller, and a gear with friction.</p>
</html>"));
end RigidAxis;
