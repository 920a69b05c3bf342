within Kausal.Electrical;
model IdealSwitch "Switch controlled by a signal"
  extends Interfaces.Switching;
  Blocks.Interfaces.BooleanInput close "true: the switch is closed"
    annotation(Placement(transformation(extent = {{-10, 100}, {10, 120}})));
equation
  off = not close;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-40, 0}}, color = {0, 0, 190}),
      Line(points = {{-40, 0}, {40, 50}}, color = {0, 0, 190}),
      Line(points = {{40, 0}, {90, 0}}, color = {0, 0, 190}),
      Ellipse(extent = {{-45, -5}, {-35, 5}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{0, 90}, {0, 28}}, color = {0, 0, 190}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>A small resistance while it is closed, a small conductance while it is open.</p>
</html>"));
end IdealSwitch;
