within Kausal.Translational;
package Sensors "Ideal sensors"
  model PositionSensor "Measures the position"
    extends Interfaces.AbsoluteSensor;
    Blocks.Interfaces.RealOutput s(unit = "m") "Position"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
  equation
    s = flange.s;
    annotation(
      Icon(graphics = {
        Text(extent = {{-40, 30}, {40, -30}}, textString = "s", textColor = {0, 110, 0})}),
      Documentation(info = "<html>
<p>Position of a flange.</p>
</html>"));
  end PositionSensor;

  model SpeedSensor "Measures the velocity"
    extends Interfaces.AbsoluteSensor;
    Blocks.Interfaces.RealOutput v(unit = "m/s") "Velocity"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
  equation
    v = der(flange.s);
    annotation(
      Icon(graphics = {
        Text(extent = {{-40, 30}, {40, -30}}, textString = "v", textColor = {0, 110, 0})}),
      Documentation(info = "<html>
<p>Velocity of a flange.</p>
</html>"));
  end SpeedSensor;

  model AccelerationSensor "Measures the acceleration"
    extends Interfaces.AbsoluteSensor;
    Units.Velocity v "Velocity";
    Blocks.Interfaces.RealOutput acc(unit = "m/s2") "Acceleration"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
  equation
    v = der(flange.s);
    acc = der(v);
    annotation(
      Icon(graphics = {
        Text(extent = {{-40, 30}, {40, -30}}, textString = "a", textColor = {0, 110, 0})}),
      Documentation(info = "<html>
<p>Acceleration of a flange.</p>
</html>"));
  end AccelerationSensor;

  model ForceSensor "Measures the force in a rod"
    extends Interfaces.TwoFlanges;
    Blocks.Interfaces.RealOutput f(unit = "N") "Force transmitted from a to b"
      annotation(Placement(transformation(extent = {{-10, -120}, {10, -100}})));
  equation
    a.s = b.s;
    a.f = f;
    b.f = -f;
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-60, -60}, {60, 60}},
          lineColor = {0, 110, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {-60, 0}}, color = {0, 110, 0}),
        Line(points = {{60, 0}, {90, 0}}, color = {0, 110, 0}),
        Line(points = {{0, -60}, {0, -100}}, color = {0, 110, 0}),
        Text(extent = {{-40, 30}, {40, -30}}, textString = "f", textColor = {0, 110, 0}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Force that goes through it. It is connected in series.</p>
</html>"));
  end ForceSensor;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 110, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Ellipse(extent = {{-40, -40}, {40, 40}},
        lineColor = {0, 110, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-20, -20}, {20, 20}}, color = {0, 110, 0})}),
    Documentation(info = "<html>
<p>They measure without influence on the motion.</p>
</html>"));
end Sensors;
