within Kausal.Rotational;
model PlanetaryGear "Ideal planetary gear"
  parameter Real ratio(min = 0) = 2 "Teeth of the ring over teeth of the sun";
  Interfaces.Flange sun "Sun"
    annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
  Interfaces.Flange carrier "Carrier of the planets"
    annotation(Placement(transformation(extent = {{-110, 50}, {-90, 70}})));
  Interfaces.Flange ring "Ring"
    annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
equation
  (1 + ratio)*carrier.phi = sun.phi + ratio*ring.phi;
  ring.tau = ratio*sun.tau;
  carrier.tau = -(1 + ratio)*sun.tau;
  annotation(
    Icon(graphics = {
      Ellipse(extent = {{-60, -60}, {60, 60}},
        lineColor = {70, 70, 70}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Ellipse(extent = {{-20, -20}, {20, 20}},
        lineColor = {70, 70, 70}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Ellipse(extent = {{-18, 22}, {18, 58}},
        lineColor = {70, 70, 70}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Ellipse(extent = {{-18, -58}, {18, -22}},
        lineColor = {70, 70, 70}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Line(points = {{-90, 0}, {-20, 0}}, color = {70, 70, 70}),
      Line(points = {{60, 0}, {90, 0}}, color = {70, 70, 70}),
      Line(points = {{-90, 60}, {0, 40}}, color = {70, 70, 70}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "ratio=%ratio")}),
    Documentation(info = "<html>
<p>Without losses and inertia: the speeds of sun, carrier and ring satisfy one equation, their torques two.</p>
</html>"));
end PlanetaryGear;
