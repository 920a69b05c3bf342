within Kausal.Examples.RobotParts;
model ElasticGear "Gear with elasticity, damping and friction"
  extends Rotational.Interfaces.TwoFlanges;
  parameter Real ratio = 100 "Angle of the motor over angle of the axis";
  parameter Units.RotationalStiffness c = 40 "Stiffness, seen from the motor";
  parameter Units.RotationalDamping d = 0.01 "Damping, seen from the motor";
  parameter Units.Torque tau_c = 0.4 "Coulomb friction, seen from the motor";
  parameter Units.RotationalDamping d_bearing = 1e-3 "Viscous friction, seen from the motor";
  GearFriction bearing(tau_c = tau_c, d = d_bearing, peak = 1.1) "Friction of motor and gear"
    annotation(Placement(transformation(extent = {{-70, -10}, {-50, 10}})));
  Rotational.SpringDamper elasticity(c = c, d = d, stateSelect = StateSelect.default) "Elasticity of the gear"
    annotation(Placement(transformation(extent = {{-10, -10}, {10, 10}})));
  Rotational.Gear gear(ratio = ratio) "Ideal gear"
    annotation(Placement(transformation(extent = {{50, -10}, {70, 10}})));
equation
  connect(a, bearing.a) annotation(Line(points = {{-100, 0}, {-70, 0}}, color = {70, 70, 70}));
  connect(bearing.b, elasticity.a) annotation(Line(points = {{-50, 0}, {-10, 0}}, color = {70, 70, 70}));
  connect(elasticity.b, gear.a) annotation(Line(points = {{10, 0}, {50, 0}}, color = {70, 70, 70}));
  connect(gear.b, b) annotation(Line(points = {{70, 0}, {100, 0}}, color = {70, 70, 70}));
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-30, 0}}, color = {0, 0, 0}, thickness = 0.5),
      Line(points = {{30, 0}, {90, 0}}, color = {0, 0, 0}, thickness = 0.5),
      Rectangle(extent = {{-40, -60}, {-10, 60}},
        lineColor = {0, 0, 0}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{10, -30}, {40, 30}},
        lineColor = {0, 0, 0}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Line(points = {{40, 0}, {50, 20}, {60, -20}, {70, 0}}, color = {0, 0, 0}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "ratio=%ratio")}),
    Diagram(coordinateSystem(extent = {{-100, -100}, {100, 100}})),
    Documentation(info = "<html>
<p>Friction in the bearings of the motor, then a spring and a damper, then an ideal gear.</p>
</html>"));
end ElasticGear;
