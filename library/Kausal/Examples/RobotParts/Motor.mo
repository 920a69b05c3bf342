within Kausal.Examples.RobotParts;
model Motor "Motor with current control, as an electrical circuit"
  parameter Units.Inertia J = 1e-3 "Moment of inertia of the rotor";
  parameter Units.MotorConstant k = 0.8 "Torque per current";
  parameter Units.Resistance Ra = 0.6 "Resistance of the winding";
  parameter Units.Inductance La = 4e-3 "Inductance of the winding";
  parameter Units.Voltage V_max = 300 "Voltage of the supply";
  Blocks.Interfaces.RealInput i_ref(unit = "A") "Wanted current"
    annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
  Rotational.Interfaces.Flange flange "Shaft"
    annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
  Electrical.Sources.SignalVoltage wanted(u(unit = "")) "One volt for one ampere, wanted"
    annotation(Placement(transformation(origin = {-90, -10}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Resistor Rw(R = 1000) "Input resistor for the wanted current"
    annotation(Placement(transformation(extent = {{-80, 30}, {-60, 50}})));
  Electrical.Sources.SignalVoltage measured(u(unit = "")) "One volt for one ampere, measured"
    annotation(Placement(transformation(origin = {-55, -10}, extent = {{-10, -10}, {10, 10}}, rotation = 90)));
  Electrical.Resistor Rm(R = 1000) "Input resistor for the measured current"
    annotation(Placement(transformation(origin = {-55, 20}, extent = {{-10, -10}, {10, 10}}, rotation = 90)));
  Electrical.IdealOpAmp opAmp "Makes the current of its inverting input zero"
    annotation(Placement(transformation(extent = {{-30, 0}, {-10, 20}})));
  Electrical.Resistor Rp(R = 8000) "Proportional part of the control"
    annotation(Placement(transformation(extent = {{-40, 60}, {-20, 80}})));
  Electrical.Capacitor Ci(C = 1e-6, v(start = 0, fixed = true)) "Integral part of the control"
    annotation(Placement(transformation(extent = {{-10, 60}, {10, 80}})));
  Electrical.Sensors.PotentialSensor control "Output of the current controller"
    annotation(Placement(transformation(extent = {{10, -30}, {30, -10}})));
  Blocks.Math.Gain inverter(k = -1) "The amplifier inverts"
    annotation(Placement(transformation(origin = {20, -50}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Blocks.Nonlinear.Limiter supply(uMax = V_max) "The voltage of the supply is limited"
    annotation(Placement(transformation(extent = {{10, -90}, {30, -70}})));
  Electrical.Sources.SignalVoltage power "Power electronics"
    annotation(Placement(transformation(origin = {50, -20}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Resistor winding(R = Ra) "Resistance of the winding"
    annotation(Placement(transformation(origin = {50, 20}, extent = {{-10, -10}, {10, 10}}, rotation = 90)));
  Electrical.Inductor inductance(L = La, i(start = 0, fixed = true)) "Inductance of the winding"
    annotation(Placement(transformation(extent = {{50, 40}, {70, 60}})));
  Electrical.EMF emf(k = k) "Couples current and torque"
    annotation(Placement(transformation(origin = {80, 20}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Sensors.CurrentSensor ammeter "Measures the current"
    annotation(Placement(transformation(origin = {80, -30}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Ground ground "Zero potential"
    annotation(Placement(transformation(extent = {{-30, -80}, {-10, -60}})));
  Rotational.Inertia rotor(J = J) "Rotor"
    annotation(Placement(transformation(extent = {{85, -10}, {105, 10}})));
equation
  connect(i_ref, wanted.u)
    annotation(Line(points = {{-110, 0}, {-94, 0}, {-94, -10}, {-79, -10}}, color = {0, 0, 127}));
  connect(wanted.p, Rw.p) annotation(Line(points = {{-90, 0}, {-90, 40}, {-80, 40}}, color = {0, 0, 190}));
  connect(Rw.n, opAmp.n1) annotation(Line(points = {{-60, 40}, {-45, 40}, {-45, 5}, {-30, 5}}, color = {0, 0, 190}));
  connect(ammeter.i, measured.u)
    annotation(Line(points = {{69, -30}, {2, -30}, {2, -10}, {-66, -10}}, color = {0, 0, 127}));
  connect(measured.n, Rm.p) annotation(Line(points = {{-55, 0}, {-55, 10}}, color = {0, 0, 190}));
  connect(Rm.n, opAmp.n1) annotation(Line(points = {{-55, 30}, {-55, 5}, {-30, 5}}, color = {0, 0, 190}));
  connect(opAmp.n1, Rp.p) annotation(Line(points = {{-30, 5}, {-35, 5}, {-35, 70}, {-40, 70}}, color = {0, 0, 190}));
  connect(Rp.n, Ci.p) annotation(Line(points = {{-20, 70}, {-10, 70}}, color = {0, 0, 190}));
  connect(Ci.n, opAmp.p2) annotation(Line(points = {{10, 70}, {0, 70}, {0, 15}, {-10, 15}}, color = {0, 0, 190}));
  connect(opAmp.p2, control.p)
    annotation(Line(points = {{-10, 15}, {0, 15}, {0, -20}, {10, -20}}, color = {0, 0, 190}));
  connect(control.phi, inverter.u) annotation(Line(points = {{31, -20}, {20, -20}, {20, -39}}, color = {0, 0, 127}));
  connect(inverter.y, supply.u) annotation(Line(points = {{20, -61}, {20, -80}, {9, -80}}, color = {0, 0, 127}));
  connect(supply.y, power.u)
    annotation(Line(points = {{31, -80}, {46, -80}, {46, -20}, {61, -20}}, color = {0, 0, 127}));
  connect(power.p, winding.p) annotation(Line(points = {{50, -10}, {50, 10}}, color = {0, 0, 190}));
  connect(winding.n, inductance.p) annotation(Line(points = {{50, 30}, {50, 50}}, color = {0, 0, 190}));
  connect(inductance.n, emf.p) annotation(Line(points = {{70, 50}, {80, 50}, {80, 30}}, color = {0, 0, 190}));
  connect(emf.n, ammeter.p) annotation(Line(points = {{80, 10}, {80, -20}}, color = {0, 0, 190}));
  connect(ammeter.n, power.n)
    annotation(Line(points = {{80, -40}, {80, -35}, {50, -35}, {50, -30}}, color = {0, 0, 190}));
  connect(power.n, ground.p)
    annotation(Line(points = {{50, -30}, {50, -45}, {-20, -45}, {-20, -60}}, color = {0, 0, 190}));
  connect(wanted.n, ground.p)
    annotation(Line(points = {{-90, -20}, {-90, -40}, {-20, -40}, {-20, -60}}, color = {0, 0, 190}));
  connect(measured.p, ground.p)
    annotation(Line(points = {{-55, -20}, {-55, -40}, {-20, -40}, {-20, -60}}, color = {0, 0, 190}));
  connect(opAmp.p1, ground.p) annotation(Line(points = {{-30, 15}, {-20, 15}, {-20, -60}}, color = {0, 0, 190}));
  connect(opAmp.n2, ground.p) annotation(Line(points = {{-10, 5}, {-20, 5}, {-20, -60}}, color = {0, 0, 190}));
  connect(emf.shaft, rotor.a) annotation(Line(points = {{90, 20}, {88, 20}, {88, 0}, {85, 0}}, color = {70, 70, 70}));
  connect(rotor.b, flange) annotation(Line(points = {{105, 0}, {100, 0}}, color = {70, 70, 70}));
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-80, -60}, {60, 60}},
        lineColor = {0, 0, 0}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{60, -10}, {90, 10}},
        lineColor = {0, 0, 0}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Text(extent = {{-60, 40}, {40, -40}}, textString = "M", textColor = {0, 0, 0}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Diagram(
      coordinateSystem(extent = {{-100, -100}, {100, 100}}),
      graphics = {
        Rectangle(extent = {{-97, -95}, {35, 95}}, lineColor = {150, 150, 150}, pattern = LinePattern.Dash),
        Text(extent = {{-97, 95}, {35, 87}}, textString = "control of the current", textColor = {150, 150, 150}),
        Rectangle(extent = {{38, -50}, {98, 95}}, lineColor = {150, 150, 150}, pattern = LinePattern.Dash),
        Text(extent = {{38, 95}, {98, 87}}, textString = "motor", textColor = {150, 150, 150})}),
    Documentation(info = "<html>
<p>An operational amplifier compares the wanted with the measured current. Its feedback, a resistor and a capacitor,
makes it a proportional and integral controller whose output drives the winding through the power electronics. Two
states: the current and the voltage of the capacitor.</p>
</html>"));
end Motor;
