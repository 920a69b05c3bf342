within Kausal.Rotational;
model ElasticGear "Gear with elasticity and damping on the side of b"
  extends Interfaces.TwoFlanges;
  parameter Real ratio = 1 "Angle of a over angle of b";
  parameter Units.RotationalStiffness c = 1e4 "Stiffness, seen from b";
  parameter Units.RotationalDamping d = 1 "Damping, seen from b";
  Gear gear(ratio = ratio) "Transmission"
    annotation(Placement(transformation(extent = {{-50, -10}, {-30, 10}})));
  SpringDamper elasticity(c = c, d = d, stateSelect = StateSelect.default) "Elasticity"
    annotation(Placement(transformation(extent = {{30, -10}, {50, 10}})));
equation
  connect(a, gear.a) annotation(Line(points = {{-100, 0}, {-50, 0}}, color = {70, 70, 70}));
  connect(gear.b, elasticity.a) annotation(Line(points = {{-30, 0}, {30, 0}}, color = {70, 70, 70}));
  connect(elasticity.b, b) annotation(Line(points = {{50, 0}, {100, 0}}, color = {70, 70, 70}));
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-30, 0}}, color = {70, 70, 70}, thickness = 0.5),
      Line(points = {{30, 0}, {90, 0}}, color = {70, 70, 70}, thickness = 0.5),
      Rectangle(extent = {{-40, -60}, {-10, 60}},
        lineColor = {70, 70, 70}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{10, -30}, {40, 30}},
        lineColor = {70, 70, 70}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Line(points = {{40, 0}, {50, 20}, {60, -20}, {70, 0}}, color = {70, 70, 70}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "ratio=%ratio")}),
    Diagram(coordinateSystem(extent = {{-100, -100}, {100, 100}})),
    Documentation(info = "<html>
<p>An ideal gear with a spring and a damper behind it.</p>
</html>"));
end ElasticGear;
