within Kausal.Examples;
model TwoFilters "Two filters in series"
  extends Icons.Example;
  Blocks.Sources.Step step(height = 1, startTime = 0.5) "Input"
    annotation(Placement(transformation(extent = {{-70, -10}, {-50, 10}})));
  Blocks.Continuous.FirstOrder slow(T = 1) "Slow filter"
    annotation(Placement(transformation(extent = {{-20, -10}, {0, 10}})));
  Blocks.Continuous.FirstOrder fast(T = 0.001) "Fast filter: the system is stiff"
    annotation(Placement(transformation(extent = {{30, -10}, {50, 10}})));
equation
  connect(step.y, slow.u) annotation(Line(points = {{-49, 0}, {-21, 0}}, color = {0, 0, 127}));
  connect(slow.y, fast.u) annotation(Line(points = {{1, 0}, {29, 0}}, color = {0, 0, 127}));
  annotation(
    experiment(StartTime = 0, StopTime = 5, Tolerance = 1e-6),
    Diagram(coordinateSystem(extent = {{-80, -20}, {60, 30}})),
    Documentation(info = "<html>
<p>With the discretization of an implicit method inserted into the model, both filters are solved one after the other
without any iteration: the first example of the paper on inline integration.</p>
</html>"));
end TwoFilters;
