within Kausal.Examples;
model CoupledClutches "Four inertias and three clutches"
  extends Icons.Example;
  Blocks.Sources.Sine drive(amplitude = 6, f = 0.25) "Torque of the motor"
    annotation(Placement(transformation(extent = {{-150, -10}, {-130, 10}})));
  Rotational.Sources.Torque torque "Motor"
    annotation(Placement(transformation(extent = {{-125, -10}, {-105, 10}})));
  Rotational.Inertia J1(J = 1.2, phi(start = 0, fixed = true), w(start = 12, fixed = true)) "Turning"
    annotation(Placement(transformation(extent = {{-95, -10}, {-75, 10}})));
  Rotational.Clutch clutch1(fn_max = 300, r = 0.15, peak = 1.2) "Pressed less and less, open after 2.3 s"
    annotation(Placement(transformation(extent = {{-65, -10}, {-45, 10}})));
  Rotational.Inertia J2(J = 0.8, phi(start = 0, fixed = true), w(start = 0, fixed = true)) "At rest"
    annotation(Placement(transformation(extent = {{-35, -10}, {-15, 10}})));
  Rotational.Clutch clutch2(fn_max = 250, r = 0.15) "Closed after 0.3 s"
    annotation(Placement(transformation(extent = {{-5, -10}, {15, 10}})));
  Rotational.Inertia J3(J = 0.6, phi(start = 0, fixed = true), w(start = 0, fixed = true)) "At rest"
    annotation(Placement(transformation(extent = {{25, -10}, {45, 10}})));
  Rotational.Clutch clutch3(fn_max = 200, r = 0.15) "Closed after 0.7 s"
    annotation(Placement(transformation(extent = {{55, -10}, {75, 10}})));
  Rotational.Inertia J4(J = 0.9, phi(start = 0, fixed = true), w(start = 0, fixed = true)) "At rest"
    annotation(Placement(transformation(extent = {{85, -10}, {105, 10}})));
  Blocks.Sources.Ramp press1(height = -1.2, duration = 2.76, offset = 1) "Opens the first clutch slowly"
    annotation(Placement(transformation(origin = {-70, 50}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Blocks.Sources.Step press2(startTime = 0.3) "Closes the second clutch"
    annotation(Placement(transformation(origin = {5, 50}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Blocks.Sources.Step press3(startTime = 0.7) "Closes the third clutch"
    annotation(Placement(transformation(origin = {65, 50}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
equation
  connect(drive.y, torque.tau) annotation(Line(points = {{-129, 0}, {-126, 0}}, color = {0, 0, 127}));
  connect(torque.flange, J1.a) annotation(Line(points = {{-105, 0}, {-95, 0}}, color = {70, 70, 70}));
  connect(J1.b, clutch1.a) annotation(Line(points = {{-75, 0}, {-65, 0}}, color = {70, 70, 70}));
  connect(clutch1.b, J2.a) annotation(Line(points = {{-45, 0}, {-35, 0}}, color = {70, 70, 70}));
  connect(J2.b, clutch2.a) annotation(Line(points = {{-15, 0}, {-5, 0}}, color = {70, 70, 70}));
  connect(clutch2.b, J3.a) annotation(Line(points = {{15, 0}, {25, 0}}, color = {70, 70, 70}));
  connect(J3.b, clutch3.a) annotation(Line(points = {{45, 0}, {55, 0}}, color = {70, 70, 70}));
  connect(clutch3.b, J4.a) annotation(Line(points = {{75, 0}, {85, 0}}, color = {70, 70, 70}));
  connect(press1.y, clutch1.u)
    annotation(Line(points = {{-70, 39}, {-70, 25}, {-55, 25}, {-55, 11}}, color = {0, 0, 127}));
  connect(press2.y, clutch2.u) annotation(Line(points = {{5, 39}, {5, 11}}, color = {0, 0, 127}));
  connect(press3.y, clutch3.u) annotation(Line(points = {{65, 39}, {65, 11}}, color = {0, 0, 127}));
  annotation(
    experiment(StartTime = 0, StopTime = 3, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-160, -20}, {120, 80}})),
    Documentation(info = "<html>
<p>One clutch after the other closes, slides and sticks, until the inertias turn together; the number of degrees of
freedom changes each time. The sum of the angular momenta grows only by the torque of the motor.</p>
</html>"));
end CoupledClutches;
