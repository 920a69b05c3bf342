within Kausal.MultiBody;
package Sensors "Ideal sensors"
  model PositionSensor "Measures the position of a frame"
    Interfaces.Frame a "The frame"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Blocks.Interfaces.RealOutput r[3](each unit = "m") "Position, resolved in the world frame"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
  equation
    r = a.m.r;
    a.f = zeros(3);
    a.t = zeros(3);
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-60, -60}, {60, 60}},
          lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {-60, 0}}, color = {90, 80, 40}),
        Line(points = {{60, 0}, {100, 0}}, color = {90, 80, 40}),
        Text(extent = {{-40, 30}, {40, -30}}, textString = "r", textColor = {90, 80, 40}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Position of a frame in the world.</p>
</html>"));
  end PositionSensor;

  model VelocitySensor "Measures the velocity of a frame"
    Interfaces.Frame a "The frame"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Blocks.Interfaces.RealOutput v[3](each unit = "m/s") "Velocity, resolved in the world frame"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
  equation
    v = transpose(a.m.S)*a.m.vel;
    a.f = zeros(3);
    a.t = zeros(3);
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-60, -60}, {60, 60}},
          lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {-60, 0}}, color = {90, 80, 40}),
        Line(points = {{60, 0}, {100, 0}}, color = {90, 80, 40}),
        Text(extent = {{-40, 30}, {40, -30}}, textString = "v", textColor = {90, 80, 40}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Velocity of a frame in the world.</p>
</html>"));
  end VelocitySensor;

  model AccelerationSensor "Measures the acceleration of a frame"
    outer World world "Gravity";
    Interfaces.Frame a "The frame"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Blocks.Interfaces.RealOutput acc[3](each unit = "m/s2") "Acceleration, resolved in the world frame"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
  equation
    acc = transpose(a.m.S)*a.m.acc + world.g*world.e;
    a.f = zeros(3);
    a.t = zeros(3);
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-60, -60}, {60, 60}},
          lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {-60, 0}}, color = {90, 80, 40}),
        Line(points = {{60, 0}, {100, 0}}, color = {90, 80, 40}),
        Text(extent = {{-40, 30}, {40, -30}}, textString = "a", textColor = {90, 80, 40}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Acceleration of a frame in the world, gravity taken out.</p>
</html>"));
  end AccelerationSensor;

  model CutForceSensor "Measures force and torque where two parts are joined"
    extends Interfaces.TwoFrames;
    Blocks.Interfaces.RealOutput force[3](each unit = "N") "Force on the part at b, resolved in the frame"
      annotation(Placement(transformation(extent = {{-70, -120}, {-50, -100}})));
    Blocks.Interfaces.RealOutput torque[3](each unit = "N.m") "Torque on the part at b, resolved in the frame"
      annotation(Placement(transformation(extent = {{50, -120}, {70, -100}})));
  equation
    Connections.branch(a.m, b.m);
    b.m = a.m;
    a.f = -b.f;
    a.t = -b.t;
    force = -b.f;
    torque = -b.t;
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-60, -60}, {60, 60}},
          lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {-60, 0}}, color = {90, 80, 40}),
        Line(points = {{60, 0}, {90, 0}}, color = {90, 80, 40}),
        Text(extent = {{-40, 30}, {40, -30}}, textString = "f t", textColor = {90, 80, 40}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Force and torque that go through it. It is connected in series.</p>
</html>"));
  end CutForceSensor;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Ellipse(extent = {{-40, -40}, {40, 40}},
        lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-20, -20}, {20, 20}}, color = {90, 80, 40})}),
    Documentation(info = "<html>
<p>They measure without influence on the motion.</p>
</html>"));
end Sensors;
