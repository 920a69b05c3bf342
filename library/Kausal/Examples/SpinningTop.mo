within Kausal.Examples;
model SpinningTop "A fast top precesses"
  extends Icons.Example;
  inner MultiBody.World world "Gravity"
    annotation(Placement(transformation(extent = {{-70, -10}, {-50, 10}})));
  MultiBody.Spherical tip(angles_start = {0.3, 0, 0}, w_start = {0, 0, 150}) "The tip stays where it is"
    annotation(Placement(transformation(extent = {{-30, -10}, {-10, 10}})));
  MultiBody.Body top(m = 0.5, r_CM = {0, 0, 0.08}, I_11 = 2e-4, I_22 = 2e-4, I_33 = 3e-4) "Body"
    annotation(Placement(transformation(extent = {{10, -10}, {30, 10}})));
equation
  connect(world.frame, tip.a) annotation(Line(points = {{-50, 0}, {-30, 0}}, color = {90, 80, 40}));
  connect(tip.b, top.a) annotation(Line(points = {{-10, 0}, {10, 0}}, color = {90, 80, 40}));
  annotation(
    experiment(StartTime = 0, StopTime = 2, Tolerance = 1e-8),
    Diagram(coordinateSystem(extent = {{-80, -20}, {40, 30}})),
    Documentation(info = "<html>
<p>The axis goes round with about <code>m*g*l/(I_33*w)</code> = 8.7 rad/s, with small nutations. Energy and the
vertical component of the angular momentum are constant.</p>
</html>"));
end SpinningTop;
