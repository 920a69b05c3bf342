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
  connect(q_ref, toMotor1.u);
  connect(qd_ref, toMotor2.u);
  connect(toMotor1.y, positionError.u1);
  connect(phi, positionError.u2);
  connect(positionError.y, position.u);
  connect(toMotor2.y, forward.u);
  connect(position.y, speedError.u1);
  connect(forward.y, speedError.u2);
  connect(w, speedError.u3);
  connect(speedError.y, speed.u);
  connect(speed.y, limiter.u);
  connect(limiter.y, smoothing.u);
  connect(smoothing.y, i_ref);
  annotation(
    Icon(graphics = {
      Text(extent = {{-80, 40}, {80, -40}}, textString = "control", textColor = {0, 0, 0})}),
    Documentation(info = "<html>
<p>A proportional control of the position gives a wanted speed, to which the speed of the reference motion is added;
a proportional and integral control of the speed gives a wanted current. Three states: the smoothed velocity, the
integral part and the smoothed current.</p>
</html>"));
end Controller;
