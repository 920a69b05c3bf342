within Kausal.Examples.RobotParts;
block Controller "Position and speed control of one axis"
  extends Blocks.Interfaces.Block;
  parameter Real ratio = 100 "Ratio of the gear";
  parameter Real kp(unit = "1/s") = 20 "Gain of the position control";
  parameter Real ks(unit = "A.s/rad") = 0.5 "Gain of the speed control";
  parameter Units.Time Ts = 0.08 "Integral time of the speed control";
  parameter Units.Current i_max = 20 "Largest current of the motor";
  Blocks.Interfaces.RealInput q_ref(unit = "rad") "Wanted angle of the axis"
    annotation(Placement(transformation(extent = {{-120, 50}, {-100, 70}})));
  Blocks.Interfaces.RealInput qd_ref(unit = "rad/s") "Wanted angular velocity of the axis"
    annotation(Placement(transformation(extent = {{-120, -70}, {-100, -50}})));
  Blocks.Interfaces.RealInput phi(unit = "rad") "Angle of the motor"
    annotation(Placement(transformation(extent = {{-50, -120}, {-30, -100}})));
  Blocks.Interfaces.RealInput w(unit = "rad/s") "Angular velocity of the motor, filtered"
    annotation(Placement(transformation(extent = {{30, -120}, {50, -100}})));
  Blocks.Interfaces.RealOutput i_ref(unit = "A") "Wanted current of the motor"
    annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
  Blocks.Math.Gain toMotor1(k = ratio) "Wanted angle of the motor"
    annotation(Placement(transformation(extent = {{-90, 50}, {-70, 70}})));
  Blocks.Math.Gain toMotor2(k = ratio) "Wanted angular velocity of the motor"
    annotation(Placement(transformation(extent = {{-90, -10}, {-70, 10}})));
  Blocks.Continuous.FirstOrder forward(T = 2e-3) "Smoothes the velocity that is fed forward"
    annotation(Placement(transformation(extent = {{-60, -10}, {-40, 10}})));
  Blocks.Math.Feedback positionError "Error of the position"
    annotation(Placement(transformation(extent = {{-60, 50}, {-40, 70}})));
  Blocks.Math.Gain position(k = kp) "Position control"
    annotation(Placement(transformation(extent = {{-30, 50}, {-10, 70}})));
  Blocks.Math.Add3 speedError(k3 = -1) "Error of the speed"
    annotation(Placement(transformation(extent = {{0, 30}, {20, 50}})));
  Blocks.Continuous.PI speed(k = ks, T = Ts) "Speed control"
    annotation(Placement(transformation(extent = {{30, 30}, {50, 50}})));
  Blocks.Nonlinear.Limiter limiter(uMax = i_max) "Protects the motor"
    annotation(Placement(transformation(extent = {{55, 30}, {75, 50}})));
  Blocks.Continuous.FirstOrder smoothing(T = 5e-4) "Smoothes the current"
    annotation(Placement(transformation(extent = {{75, -10}, {95, 10}})));
equation
  connect(q_ref, toMotor1.u) annotation(Line(points = {{-110, 60}, {-91, 60}}, color = {0, 0, 127}));
  connect(qd_ref, toMotor2.u)
    annotation(Line(points = {{-110, -60}, {-100, -60}, {-100, 0}, {-91, 0}}, color = {0, 0, 127}));
  connect(toMotor1.y, positionError.u1) annotation(Line(points = {{-69, 60}, {-58, 60}}, color = {0, 0, 127}));
  connect(phi, positionError.u2)
    annotation(Line(points = {{-40, -110}, {-50, -110}, {-50, 52}}, color = {0, 0, 127}));
  connect(positionError.y, position.u) annotation(Line(points = {{-41, 60}, {-31, 60}}, color = {0, 0, 127}));
  connect(toMotor2.y, forward.u) annotation(Line(points = {{-69, 0}, {-61, 0}}, color = {0, 0, 127}));
  connect(position.y, speedError.u1)
    annotation(Line(points = {{-9, 60}, {-5, 60}, {-5, 48}, {-1, 48}}, color = {0, 0, 127}));
  connect(forward.y, speedError.u2)
    annotation(Line(points = {{-39, 0}, {-20, 0}, {-20, 40}, {-1, 40}}, color = {0, 0, 127}));
  connect(w, speedError.u3)
    annotation(Line(points = {{40, -110}, {20, -110}, {20, 32}, {-1, 32}}, color = {0, 0, 127}));
  connect(speedError.y, speed.u) annotation(Line(points = {{21, 40}, {29, 40}}, color = {0, 0, 127}));
  connect(speed.y, limiter.u) annotation(Line(points = {{51, 40}, {54, 40}}, color = {0, 0, 127}));
  connect(limiter.y, smoothing.u)
    annotation(Line(points = {{76, 40}, {75, 40}, {75, 0}, {74, 0}}, color = {0, 0, 127}));
  connect(smoothing.y, i_ref) annotation(Line(points = {{96, 0}, {110, 0}}, color = {0, 0, 127}));
  annotation(
    Icon(graphics = {
      Text(extent = {{-80, 40}, {80, -40}}, textString = "control", textColor = {0, 0, 0})}),
    Diagram(coordinateSystem(extent = {{-100, -100}, {100, 100}})),
    Documentation(info = "<html>
<p>A proportional control of the position gives a wanted speed, to which the speed of the reference motion is added;
a proportional and integral control of the speed gives a wanted current. Three states: the smoothed velocity, the
integral part and the smoothed current.</p>
</html>"));
end Controller;
