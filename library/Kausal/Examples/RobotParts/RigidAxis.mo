within Kausal.Examples.RobotParts;
model RigidAxis "Drive of one axis, with a rigid gear"
  extends Drive;
  RigidGear gear(ratio = ratio, tau_c = tau_c) "Gear"
    annotation(Placement(transformation(extent = {{60, -10}, {80, 10}})));
equation
  connect(motor.flange, gear.a);
  connect(gear.b, flange);
end RigidAxis;
