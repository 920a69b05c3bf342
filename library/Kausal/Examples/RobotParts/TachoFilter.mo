within Kausal.Examples.RobotParts;
block TachoFilter "Filters the measured speed"
  extends Blocks.Interfaces.SISO;
  parameter Units.Time T = 1e-3 "Time constant of the first filter";
  parameter Real w(unit = "rad/s") = 2000 "Angular frequency of the second filter";
  parameter Real D = 0.7 "Damping of the second filter";
  Blocks.Continuous.FirstOrder first(T = T) "Takes away the ripple of the commutator"
    annotation(Placement(transformation(extent = {{-50, -10}, {-30, 10}})));
  Blocks.Continuous.SecondOrder second(w = w, D = D) "Takes away the mechanical resonance of the tacho"
    annotation(Placement(transformation(extent = {{20, -10}, {40, 10}})));
equation
  connect(u, first.u) annotation(Line(points = {{-110, 0}, {-51, 0}}, color = {0, 0, 127}));
  connect(first.y, second.u) annotation(Line(points = {{-29, 0}, {19, 0}}, color = {0, 0, 127}));
  connect(second.y, y) annotation(Line(points = {{41, 0}, {110, 0}}, color = {0, 0, 127}));
  annotation(
    Icon(graphics = {
      Line(points = {{-60, 60}, {-20, 60}, {20, 40}, {60, -60}}, color = {0, 0, 0}, smooth = Smooth.Bezier)}),
    Diagram(coordinateSystem(extent = {{-100, -100}, {100, 100}})),
    Documentation(info = "<html>
<p>The tacho and the filters behind it: three states.</p>
</html>"));
end TachoFilter;
