within Kausal.Examples.RobotParts;
model Mechanics "The six moving parts of the robot"
  parameter Units.Mass load(min = 0) = 12 "Mass of the load";
  parameter Units.Position r_load[3] = {0, 0, 0.2} "Centre of mass of the load, from the flange of the hand"
    annotation(Evaluate = true);
  Rotational.Interfaces.Flange axis1 "Drive of the first axis"
    annotation(Placement(transformation(extent = {{-110, -90}, {-90, -70}})));
  Rotational.Interfaces.Flange axis2 "Drive of the second axis"
    annotation(Placement(transformation(extent = {{-110, -58}, {-90, -38}})));
  Rotational.Interfaces.Flange axis3 "Drive of the third axis"
    annotation(Placement(transformation(extent = {{-110, -26}, {-90, -6}})));
  Rotational.Interfaces.Flange axis4 "Drive of the fourth axis"
    annotation(Placement(transformation(extent = {{-110, 6}, {-90, 26}})));
  Rotational.Interfaces.Flange axis5 "Drive of the fifth axis"
    annotation(Placement(transformation(extent = {{-110, 38}, {-90, 58}})));
  Rotational.Interfaces.Flange axis6 "Drive of the sixth axis"
    annotation(Placement(transformation(extent = {{-110, 70}, {-90, 90}})));
  inner MultiBody.World world "Gravity"
    annotation(Placement(transformation(extent = {{-50, -100}, {-30, -80}})));
  MultiBody.Revolute r1(n = {0, 0, 1}, useAxis = true, stateSelect = StateSelect.always)
    "Turns the robot about the vertical"
    annotation(Placement(transformation(extent = {{-10, -90}, {10, -70}})));
  MultiBody.Link b1(r = {0, 0, 0.66}, r_CM = {0, 0.02, 0.45}, m = 90, I_11 = 3, I_22 = 3, I_33 = 1.2) "Column"
    annotation(Placement(transformation(extent = {{30, -90}, {50, -70}})));
  MultiBody.Revolute r2(n = {0, 1, 0}, useAxis = true, stateSelect = StateSelect.always) "Shoulder"
    annotation(Placement(transformation(extent = {{-10, -58}, {10, -38}})));
  MultiBody.Link b2(r = {0, 0, 0.5}, r_CM = {0.15, 0, 0.2}, m = 55, I_11 = 2.6, I_22 = 2.4, I_33 = 0.6, I_31 = 0.3)
    "Upper arm"
    annotation(Placement(transformation(extent = {{30, -58}, {50, -38}})));
  MultiBody.Revolute r3(n = {0, 1, 0}, useAxis = true, stateSelect = StateSelect.always) "Elbow"
    annotation(Placement(transformation(extent = {{-10, -26}, {10, -6}})));
  MultiBody.Link b3(r = {0, 0, 0.35}, r_CM = {0, -0.03, 0.05}, m = 32, I_11 = 1.2, I_22 = 1.1, I_33 = 0.3, I_32 = 0.1)
    "Elbow housing"
    annotation(Placement(transformation(extent = {{30, -26}, {50, -6}})));
  MultiBody.Revolute r4(n = {0, 0, 1}, useAxis = true, stateSelect = StateSelect.always) "Roll of the forearm"
    annotation(Placement(transformation(extent = {{-10, 6}, {10, 26}})));
  MultiBody.Link b4(r = {0, 0, 0.38}, r_CM = {0, 0, 0.15}, m = 18, I_11 = 0.6, I_22 = 0.6, I_33 = 0.1) "Forearm"
    annotation(Placement(transformation(extent = {{30, 6}, {50, 26}})));
  MultiBody.Revolute r5(n = {0, 1, 0}, useAxis = true, stateSelect = StateSelect.always) "Pitch of the hand"
    annotation(Placement(transformation(extent = {{-10, 38}, {10, 58}})));
  MultiBody.Link b5(r = {0, 0, 0.12}, r_CM = {0, 0, 0.04}, m = 6, I_11 = 0.03, I_22 = 0.03, I_33 = 0.02) "Wrist"
    annotation(Placement(transformation(extent = {{30, 38}, {50, 58}})));
  MultiBody.Revolute r6(n = {0, 0, 1}, useAxis = true, stateSelect = StateSelect.always) "Roll of the hand"
    annotation(Placement(transformation(extent = {{-10, 70}, {10, 90}})));
  MultiBody.Body b6(r_CM = {0, 0, 0.03}, m = 2, I_11 = 0.005, I_22 = 0.005, I_33 = 0.004) "Hand"
    annotation(Placement(transformation(extent = {{30, 70}, {50, 90}})));
  MultiBody.Body payload(r_CM = r_load, m = load, I_11 = 0.1, I_22 = 0.1, I_33 = 0.1) "Load"
    annotation(Placement(transformation(extent = {{70, 70}, {90, 90}})));
equation
  connect(world.frame, r1.a)
    annotation(Line(points = {{-30, -90}, {-20, -90}, {-20, -80}, {-10, -80}}, color = {90, 80, 40}));
  connect(r1.b, b1.a) annotation(Line(points = {{10, -80}, {30, -80}}, color = {90, 80, 40}));
  connect(b1.b, r2.a) annotation(Line(points = {{50, -80}, {20, -80}, {20, -48}, {-10, -48}}, color = {90, 80, 40}));
  connect(r2.b, b2.a) annotation(Line(points = {{10, -48}, {30, -48}}, color = {90, 80, 40}));
  connect(b2.b, r3.a) annotation(Line(points = {{50, -48}, {20, -48}, {20, -16}, {-10, -16}}, color = {90, 80, 40}));
  connect(r3.b, b3.a) annotation(Line(points = {{10, -16}, {30, -16}}, color = {90, 80, 40}));
  connect(b3.b, r4.a) annotation(Line(points = {{50, -16}, {20, -16}, {20, 16}, {-10, 16}}, color = {90, 80, 40}));
  connect(r4.b, b4.a) annotation(Line(points = {{10, 16}, {30, 16}}, color = {90, 80, 40}));
  connect(b4.b, r5.a) annotation(Line(points = {{50, 16}, {20, 16}, {20, 48}, {-10, 48}}, color = {90, 80, 40}));
  connect(r5.b, b5.a) annotation(Line(points = {{10, 48}, {30, 48}}, color = {90, 80, 40}));
  connect(b5.b, r6.a) annotation(Line(points = {{50, 48}, {20, 48}, {20, 80}, {-10, 80}}, color = {90, 80, 40}));
  connect(r6.b, b6.a) annotation(Line(points = {{10, 80}, {30, 80}}, color = {90, 80, 40}));
  connect(r6.b, payload.a) annotation(Line(points = {{10, 80}, {70, 80}}, color = {90, 80, 40}));
  connect(r1.axis, axis1)
    annotation(Line(points = {{0, -70}, {0, -75}, {-100, -75}, {-100, -80}}, color = {70, 70, 70}));
  connect(r2.axis, axis2)
    annotation(Line(points = {{0, -38}, {0, -43}, {-100, -43}, {-100, -48}}, color = {70, 70, 70}));
  connect(r3.axis, axis3)
    annotation(Line(points = {{0, -6}, {0, -11}, {-100, -11}, {-100, -16}}, color = {70, 70, 70}));
  connect(r4.axis, axis4) annotation(Line(points = {{0, 26}, {0, 21}, {-100, 21}, {-100, 16}}, color = {70, 70, 70}));
  connect(r5.axis, axis5) annotation(Line(points = {{0, 58}, {0, 53}, {-100, 53}, {-100, 48}}, color = {70, 70, 70}));
  connect(r6.axis, axis6) annotation(Line(points = {{0, 90}, {0, 85}, {-100, 85}, {-100, 80}}, color = {70, 70, 70}));
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-40, -80}, {-40, 20}}, color = {0, 0, 0}, thickness = 0.5),
      Line(points = {{-40, 20}, {20, 60}}, color = {0, 0, 0}, thickness = 0.5),
      Line(points = {{20, 60}, {70, 20}}, color = {0, 0, 0}, thickness = 0.5),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Diagram(coordinateSystem(extent = {{-100, -100}, {100, 100}})),
    Documentation(info = "<html>
<p>A robot of the size of a man, made for loads of about 12 kg. For angles zero it stands stretched upwards; the axes
are, from the base to the hand, vertical, horizontal, horizontal, along the forearm, across it, and along the
hand.</p>
</html>"));
end Mechanics;
