within Kausal.Examples;
model SpringPendulum "A body on a spring"
  extends Icons.Example;
  inner MultiBody.World world "Gravity"
    annotation(Placement(transformation(extent = {{-70, -10}, {-50, 10}})));
  MultiBody.FreeMotion free(r_start = {0.5, 0, -1}, v_start = {0, 0.5, 0}) "Not constrained"
    annotation(Placement(transformation(extent = {{-30, -40}, {-10, -20}})));
  MultiBody.Body body(m = 1, I_11 = 0.01, I_22 = 0.01, I_33 = 0.01) "Body"
    annotation(Placement(transformation(extent = {{30, -10}, {50, 10}})));
  MultiBody.Forces.SpringDamper spring(c = 100, d = 0.1, s0 = 1) "Spring to the origin"
    annotation(Placement(transformation(extent = {{-20, 10}, {0, 30}})));
equation
  connect(world.frame, free.a)
    annotation(Line(points = {{-50, 0}, {-40, 0}, {-40, -30}, {-30, -30}}, color = {90, 80, 40}));
  connect(free.b, body.a) annotation(Line(points = {{-10, -30}, {10, -30}, {10, 0}, {30, 0}}, color = {90, 80, 40}));
  connect(world.frame, spring.a)
    annotation(Line(points = {{-50, 0}, {-35, 0}, {-35, 20}, {-20, 20}}, color = {90, 80, 40}));
  connect(spring.b, body.a) annotation(Line(points = {{0, 20}, {15, 20}, {15, 0}, {30, 0}}, color = {90, 80, 40}));
  annotation(
    experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-80, -50}, {60, 50}})),
    Documentation(info = "<html>
<p>A body with six degrees of freedom hangs on a spring that can point anywhere. The force goes through the centre of
mass, so the body does not turn.</p>
</html>"));
end SpringPendulum;
