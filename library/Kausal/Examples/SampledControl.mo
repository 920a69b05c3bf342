within Kausal.Examples;
model SampledControl "Sampled controller of a continuous plant"
  extends Icons.Example;
  Blocks.Sources.Step reference(height = 1, startTime = 0.5) "Set point"
    annotation(Placement(transformation(extent = {{-90, -10}, {-70, 10}})));
  Blocks.Math.Feedback error "Control error"
    annotation(Placement(transformation(extent = {{-60, -10}, {-40, 10}})));
  Blocks.Discrete.PI controller(k = 2, T = 0.8, samplePeriod = 0.1, yMax = 2.5) "Computes every 0.1 s"
    annotation(Placement(transformation(extent = {{-30, -10}, {-10, 10}})));
  Blocks.Continuous.SecondOrder plant(k = 1, w = 2, D = 0.7) "Plant"
    annotation(Placement(transformation(extent = {{20, -10}, {40, 10}})));
equation
  connect(reference.y, error.u1) annotation(Line(points = {{-69, 0}, {-58, 0}}, color = {0, 0, 127}));
  connect(error.y, controller.u) annotation(Line(points = {{-41, 0}, {-31, 0}}, color = {0, 0, 127}));
  connect(controller.y, plant.u) annotation(Line(points = {{-9, 0}, {19, 0}}, color = {0, 0, 127}));
  connect(plant.y, error.u2) annotation(Line(points = {{41, 0}, {-50, 0}, {-50, -8}}, color = {0, 0, 127}));
  annotation(
    experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-100, -20}, {60, 30}})),
    Documentation(info = "<html>
<p>A controller that computes ten times a second, with limits, and a plant of second order in between. Each sample
instant is an event.</p>
</html>"));
end SampledControl;
