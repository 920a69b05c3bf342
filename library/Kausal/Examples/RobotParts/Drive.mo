within Kausal.Examples.RobotParts;
partial model Drive "Motor, sensors and control of one axis"
  parameter Real ratio = 100 "Ratio of the gear";
  parameter Units.Torque tau_c = 0.4 "Coulomb friction, seen from the motor";
  parameter Units.Inertia J = 1e-3 "Moment of inertia of the rotor";
  parameter Real kp(unit = "1/s") = 20 "Gain of the position control";
  parameter Real ks(unit = "A.s/rad") = 0.5 "Gain of the speed control";
  parameter Units.Time Ts = 0.08 "Integral time of the speed control";
  Blocks.Interfaces.RealInput q_ref(unit = "rad") "Wanted angle of the axis"
    annotation(Placement(transformation(extent = {{-120, 50}, {-100, 70}})));
  Blocks.Interfaces.RealInput qd_ref(unit = "rad/s") "Wanted angular velocity of the axis"
    annotation(Placement(transformation(extent = {{-120, -70}, {-100, -50}})));
  Rotational.Interfaces.Flange flange "The axis"
    annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
  Controller controller(ratio = ratio, kp = kp, ks = ks, Ts = Ts) "Control"
    annotation(Placement(transformation(extent = {{-70, -10}, {-50, 10}})));
  Motor motor(J = J) "Motor"
    annotation(Placement(transformation(extent = {{-10, -10}, {10, 10}})));
  Rotational.Sensors.AngleSensor angle "Angle of the motor"
    annotation(Placement(transformation(origin = {20, -40}, extent = {{-10, -10}, {10, 10}}, rotation = 180)));
  Rotational.Sensors.SpeedSensor tacho "Angular velocity of the motor"
    annotation(Placement(transformation(origin = {20, -80}, extent = {{-10, -10}, {10, 10}}, rotation = 180)));
  TachoFilter filter "Filters the tacho"
    annotation(Placement(transformation(origin = {-20, -80}, extent = {{-10, -10}, {10, 10}}, rotation = 180)));
equation
  connect(q_ref, controller.q_ref)
    annotation(Line(points = {{-110, 60}, {-90, 60}, {-90, 6}, {-71, 6}}, color = {0, 0, 127}));
  connect(qd_ref, controller.qd_ref)
    annotation(Line(points = {{-110, -60}, {-90, -60}, {-90, -6}, {-71, -6}}, color = {0, 0, 127}));
  connect(controller.i_ref, motor.i_ref) annotation(Line(points = {{-49, 0}, {-11, 0}}, color = {0, 0, 127}));
  connect(motor.flange, angle.flange)
    annotation(Line(points = {{10, 0}, {20, 0}, {20, -40}, {30, -40}}, color = {70, 70, 70}));
  connect(motor.flange, tacho.flange)
    annotation(Line(points = {{10, 0}, {20, 0}, {20, -80}, {30, -80}}, color = {70, 70, 70}));
  connect(angle.phi, controller.phi)
    annotation(Line(points = {{9, -40}, {-64, -40}, {-64, -11}}, color = {0, 0, 127}));
  connect(tacho.w, filter.u) annotation(Line(points = {{9, -80}, {-9, -80}}, color = {0, 0, 127}));
  connect(filter.y, controller.w)
    annotation(Line(points = {{-31, -80}, {-56, -80}, {-56, -11}}, color = {0, 0, 127}));
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -80}, {60, 80}},
        lineColor = {0, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{60, -10}, {100, 10}},
        lineColor = {0, 0, 0}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Text(extent = {{-80, 40}, {40, -40}}, textString = "drive", textColor = {0, 0, 0}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Diagram(coordinateSystem(extent = {{-100, -100}, {100, 100}})),
    Documentation(info = "<html>
<p>Control, motor and sensors of one axis. What extends it, <code>RigidAxis</code> or <code>ElasticAxis</code>, puts a
gear between the motor and <code>flange</code>.</p>
</html>"));
end Drive;
