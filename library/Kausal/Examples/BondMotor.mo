within Kausal.Examples;
model BondMotor "Bond graph of a DC motor that lifts a weight"
  extends Icons.Example;
  BondGraph.Se battery(E = 24) "Battery"
    annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
  BondGraph.Junction1 armature(n = 4) "Common current"
    annotation(Placement(transformation(extent = {{-75, -10}, {-55, 10}})));
  BondGraph.R R(R = 0.8) "Resistance of the winding"
    annotation(Placement(transformation(origin = {-80, 40}, extent = {{-10, -10}, {10, 10}}, rotation = 90)));
  BondGraph.I L(I = 2e-3, f(start = 0, fixed = true)) "Inductance of the winding"
    annotation(Placement(transformation(origin = {-50, 40}, extent = {{-10, -10}, {10, 10}}, rotation = 90)));
  BondGraph.GY motor(r = 0.2) "Motor constant"
    annotation(Placement(transformation(extent = {{-40, -10}, {-20, 10}})));
  BondGraph.Junction1 rotor(n = 3) "Common angular velocity"
    annotation(Placement(transformation(extent = {{-5, -10}, {15, 10}})));
  BondGraph.I J(I = 5e-4) "Rotor; its speed is that of the weight"
    annotation(Placement(transformation(origin = {5, 40}, extent = {{-10, -10}, {10, 10}}, rotation = 90)));
  BondGraph.TF drum(m = 0.02) "Drum"
    annotation(Placement(transformation(extent = {{30, -10}, {50, 10}})));
  BondGraph.Junction1 rope(n = 3, direction = {1, -1, 1}) "Common velocity"
    annotation(Placement(transformation(extent = {{65, -10}, {85, 10}})));
  BondGraph.I m(I = 10, f(start = 0, fixed = true)) "Mass of the weight"
    annotation(Placement(transformation(origin = {75, 40}, extent = {{-10, -10}, {10, 10}}, rotation = 90)));
  BondGraph.Se weight(E = -98.0665) "Weight"
    annotation(Placement(transformation(origin = {75, -40}, extent = {{-10, -10}, {10, 10}}, rotation = 90)));
equation
  connect(battery.p, armature.p[1]) annotation(Line(points = {{-90, 0}, {-65, 0}}, color = {110, 0, 130}));
  connect(armature.p[2], R.p) annotation(Line(points = {{-65, 0}, {-80, 0}, {-80, 30}}, color = {110, 0, 130}));
  connect(armature.p[3], L.p) annotation(Line(points = {{-65, 0}, {-50, 0}, {-50, 30}}, color = {110, 0, 130}));
  connect(armature.p[4], motor.a) annotation(Line(points = {{-65, 0}, {-40, 0}}, color = {110, 0, 130}));
  connect(motor.b, rotor.p[1]) annotation(Line(points = {{-20, 0}, {5, 0}}, color = {110, 0, 130}));
  connect(rotor.p[2], J.p) annotation(Line(points = {{5, 0}, {5, 30}}, color = {110, 0, 130}));
  connect(rotor.p[3], drum.a) annotation(Line(points = {{5, 0}, {30, 0}}, color = {110, 0, 130}));
  connect(drum.b, rope.p[1]) annotation(Line(points = {{50, 0}, {75, 0}}, color = {110, 0, 130}));
  connect(rope.p[2], m.p) annotation(Line(points = {{75, 0}, {75, 30}}, color = {110, 0, 130}));
  connect(rope.p[3], weight.p) annotation(Line(points = {{75, 0}, {75, -30}}, color = {110, 0, 130}));
  annotation(
    experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-120, -60}, {100, 70}})),
    Documentation(info = "<html>
<p>In the end the current is <code>m*g*0.02/0.2</code> = 9.80665 A and the rotor turns with <code>(24 -
0.8*9.80665)/0.2</code> = 80.8 rad/s.</p>
</html>"));
end BondMotor;
