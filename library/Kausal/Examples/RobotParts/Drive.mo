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
  connect(q_ref, controller.q_ref);
  connect(qd_ref, controller.qd_ref);
  connect(controller.i_ref, motor.i_ref);
  connect(motor.flange, angle.flange);
  connect(motor.flange, tacho.flange);
  connect(angle.phi, controller.phi);
  connect(tacho.w, filter.u);
  connect(filter.y, controller.w);
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -80}, {60, 80}},
        lineColor = {0, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{60, -10}, {100, 10}},
        lineColor = {0, 0, 0}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Text(extent = {{-80, 40}, {40, -40}}, textString = "drive", textColor = {0, 0, 0}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}));
end Drive;
