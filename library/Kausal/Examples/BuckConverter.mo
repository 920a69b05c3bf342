within Kausal.Examples;
model BuckConverter "Step-down converter"
  extends Icons.Example;
  Electrical.Sources.ConstantVoltage source(V = 12) "Supply"
    annotation(Placement(transformation(origin = {-80, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.IdealSwitch switch "Transistor"
    annotation(Placement(transformation(extent = {{-60, 30}, {-40, 50}})));
  Electrical.IdealDiode diode "Carries the current while the switch is open"
    annotation(Placement(transformation(origin = {-20, 0}, extent = {{-10, -10}, {10, 10}}, rotation = 90)));
  Electrical.Inductor inductor(L = 1e-4, i(start = 0, fixed = true)) "Choke"
    annotation(Placement(transformation(extent = {{0, 30}, {20, 50}})));
  Electrical.Capacitor capacitor(C = 1e-4, v(start = 0, fixed = true)) "Smoothes"
    annotation(Placement(transformation(origin = {40, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Resistor load(R = 2) "Load"
    annotation(Placement(transformation(origin = {70, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Electrical.Ground ground "Zero potential"
    annotation(Placement(transformation(extent = {{-90, -60}, {-70, -40}})));
  Blocks.Sources.BooleanPulse pulse(period = 2e-5, width = 0.4) "Duty cycle of 40 percent"
    annotation(Placement(transformation(extent = {{-90, 70}, {-70, 90}})));
equation
  connect(source.p, switch.p) annotation(Line(points = {{-80, 10}, {-80, 40}, {-60, 40}}, color = {0, 0, 190}));
  connect(switch.n, inductor.p) annotation(Line(points = {{-40, 40}, {0, 40}}, color = {0, 0, 190}));
  connect(diode.n, inductor.p) annotation(Line(points = {{-20, 10}, {-20, 40}, {0, 40}}, color = {0, 0, 190}));
  connect(inductor.n, capacitor.p) annotation(Line(points = {{20, 40}, {40, 40}, {40, 10}}, color = {0, 0, 190}));
  connect(capacitor.p, load.p) annotation(Line(points = {{40, 10}, {70, 10}}, color = {0, 0, 190}));
  connect(diode.p, source.n) annotation(Line(points = {{-20, -10}, {-80, -10}}, color = {0, 0, 190}));
  connect(capacitor.n, source.n) annotation(Line(points = {{40, -10}, {-80, -10}}, color = {0, 0, 190}));
  connect(load.n, source.n) annotation(Line(points = {{70, -10}, {-80, -10}}, color = {0, 0, 190}));
  connect(source.n, ground.p) annotation(Line(points = {{-80, -10}, {-80, -40}}, color = {0, 0, 190}));
  connect(pulse.y, switch.close) annotation(Line(points = {{-69, 80}, {-50, 80}, {-50, 51}}, color = {200, 0, 200}));
  annotation(
    experiment(StartTime = 0, StopTime = 0.002, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-100, -70}, {90, 110}})),
    Documentation(info = "<html>
<p>The load sees nearly the duty cycle times the voltage of the supply, 4.8 V. Each period has two switching
instants.</p>
</html>"));
end BuckConverter;
