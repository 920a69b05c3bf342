within Kausal.Examples;
model TumblingBody "A body thrown into the air turns over and over"
  extends Icons.Example;
  inner MultiBody.World world "Gravity"
    annotation(Placement(transformation(extent = {{-70, -10}, {-50, 10}})));
  MultiBody.FreeMotion free(v_start = {1, 0, 20}, w_start = {0.01, 10, 0}) "Thrown upwards"
    annotation(Placement(transformation(extent = {{-30, -10}, {-10, 10}})));
  MultiBody.Body body(m = 2, I_11 = 0.01, I_22 = 0.02, I_33 = 0.03) "Body with three different moments of inertia"
    annotation(Placement(transformation(extent = {{10, -10}, {30, 10}})));
equation
  connect(world.frame, free.a) annotation(Line(points = {{-50, 0}, {-30, 0}}, color = {90, 80, 40}));
  connect(free.b, body.a) annotation(Line(points = {{-10, 0}, {10, 0}}, color = {90, 80, 40}));
  annotation(
    experiment(StartTime = 0, StopTime = 4, Tolerance = 1e-8),
    Diagram(coordinateSystem(extent = {{-80, -20}, {40, 30}})),
    Documentation(info = "<html>
<p>Rotation about the axis of the middle moment of inertia is unstable: the body turns over again and again while its
centre of mass follows the parabola <code>20*t - g*t^2/2</code>.</p>
</html>"));
end TumblingBody;
