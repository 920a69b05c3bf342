within Kausal.Examples;
model MotorControl "Speed control of a DC motor"
  extends Icons.Example;
  Blocks.Sources.Step reference(height = 100, startTime = 0.1) "Wanted speed"
    annotation(Placement(transformation(extent = {{-100, 10}, {-80, 30}})));
  Blocks.Continuous.LimPID controller(kind = Blocks.Continuous.LimPID.Kind.PI, k = 0.5, Ti = 0.1, yMax = 24)
    "Controller, limited by the supply"
      annotation(Placement(transformation(extent = {{-70, 10}, {-50, 30}})));
  Electrical.Sources.SignalVoltage amplifier "Power amplifier"
    annotation(Placement(transformation(origin = {-20, 10}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Resistor resistor(R = 0.5) "Resistance of the winding"
    annotation(Placement(transformation(extent = {{-15, 30}, {5, 50}})));
  Electrical.Inductor inductor(L = 1e-3, i(start = 0, fixed = true)) "Inductance of the winding"
    annotation(Placement(transformation(extent = {{10, 30}, {30, 50}})));
  Electrical.EMF emf(k = 0.15) "Couples current and torque"
    annotation(Placement(transformation(origin = {40, 10}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Ground ground "Zero potential"
    annotation(Placement(transformation(extent = {{-30, -50}, {-10, -30}})));
  Rotational.Inertia rotor(J = 1e-3, phi(start = 0, fixed = true), w(start = 0, fixed = true)) "Rotor"
    annotation(Placement(transformation(extent = {{52, 0}, {72, 20}})));
  Rotational.SpringDamper shaft(c = 50, d = 0.05) "Elastic shaft"
    annotation(Placement(transformation(extent = {{74, 0}, {94, 20}})));
  Rotational.Inertia load(J = 2e-3, phi(start = 0, fixed = true), w(start = 0, fixed = true)) "Load"
    annotation(Placement(transformation(extent = {{96, 0}, {116, 20}})));
  Rotational.Sources.Torque disturbance "Torque on the load"
    annotation(Placement(transformation(extent = {{74, -50}, {94, -30}})));
  Blocks.Sources.Step torque(height = -0.5, startTime = 1) "Load torque"
    annotation(Placement(transformation(extent = {{40, -50}, {60, -30}})));
  Rotational.Sensors.SpeedSensor speed "Measured speed"
    annotation(Placement(transformation(origin = {60, -70}, extent = {{-10, -10}, {10, 10}}, rotation = 180)));
equation
  connect(reference.y, controller.u_s) annotation(Line(points = {{-79, 20}, {-71, 20}}, color = {0, 0, 127}));
  connect(controller.y, amplifier.u)
    annotation(Line(points = {{-49, 20}, {-29, 20}, {-29, 10}, {-9, 10}}, color = {0, 0, 127}));
  connect(amplifier.p, resistor.p) annotation(Line(points = {{-20, 20}, {-20, 40}, {-15, 40}}, color = {0, 0, 190}));
  connect(resistor.n, inductor.p) annotation(Line(points = {{5, 40}, {10, 40}}, color = {0, 0, 190}));
  connect(inductor.n, emf.p) annotation(Line(points = {{30, 40}, {40, 40}, {40, 20}}, color = {0, 0, 190}));
  connect(emf.n, amplifier.n) annotation(Line(points = {{40, 0}, {-20, 0}}, color = {0, 0, 190}));
  connect(amplifier.n, ground.p) annotation(Line(points = {{-20, 0}, {-20, -30}}, color = {0, 0, 190}));
  connect(emf.shaft, rotor.a) annotation(Line(points = {{50, 10}, {52, 10}}, color = {70, 70, 70}));
  connect(rotor.b, shaft.a) annotation(Line(points = {{72, 10}, {74, 10}}, color = {70, 70, 70}));
  connect(shaft.b, load.a) annotation(Line(points = {{94, 10}, {96, 10}}, color = {70, 70, 70}));
  connect(torque.y, disturbance.tau) annotation(Line(points = {{61, -40}, {73, -40}}, color = {0, 0, 127}));
  connect(disturbance.flange, load.b)
    annotation(Line(points = {{94, -40}, {105, -40}, {105, 10}, {116, 10}}, color = {70, 70, 70}));
  connect(speed.flange, rotor.b)
    annotation(Line(points = {{70, -70}, {71, -70}, {71, 10}, {72, 10}}, color = {70, 70, 70}));
  connect(speed.w, controller.u_m) annotation(Line(points = {{49, -70}, {-60, -70}, {-60, 9}}, color = {0, 0, 127}));
  annotation(
    experiment(StartTime = 0, StopTime = 2, Tolerance = 1e-6),
    Diagram(
      coordinateSystem(extent = {{-110, -90}, {130, 70}}),
      graphics = {
        Rectangle(extent = {{-105, -85}, {-45, 65}}, lineColor = {150, 150, 150}, pattern = LinePattern.Dash),
        Text(extent = {{-105, 65}, {-45, 57}}, textString = "control", textColor = {150, 150, 150}),
        Rectangle(extent = {{-35, -20}, {51, 65}}, lineColor = {150, 150, 150}, pattern = LinePattern.Dash),
        Text(extent = {{-35, 65}, {51, 57}}, textString = "motor, electrical part", textColor = {150, 150, 150}),
        Rectangle(extent = {{51, -20}, {120, 65}}, lineColor = {150, 150, 150}, pattern = LinePattern.Dash),
        Text(extent = {{51, 65}, {120, 57}}, textString = "shaft and load", textColor = {150, 150, 150})}),
    Documentation(info = "<html>
<p>After the step of the reference the controller is at its limit for a while; without the return of its integral
part the speed would overshoot far. At 1 s a load torque comes on.</p>
</html>"));
end MotorControl;
