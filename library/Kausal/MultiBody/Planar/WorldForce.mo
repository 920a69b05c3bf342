within Kausal.MultiBody.Planar;
model WorldForce "Force on a frame, given by signals"
  Interfaces.Frame b "Frame on which the force acts"
    annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
  Blocks.Interfaces.RealInput force[2](each unit = "N") "Force, resolved in the world frame"
    annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
equation
  b.f = -force;
  b.t = 0;
  annotation(
    Icon(graphics = {
      Polygon(points = {{-80, 15}, {30, 15}, {30, 40}, {90, 0}, {30, -40}, {30, -15}, {-80, -15}},
        lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>A force given by two signals, resolved in the world frame.</p>
</html>"));
end WorldForce;
