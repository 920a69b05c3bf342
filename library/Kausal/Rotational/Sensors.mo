within Kausal.Rotational;
package Sensors "Ideal sensors"
  model AngleSensor "Measures the angle"
    extends Interfaces.AbsoluteSensor;
    Blocks.Interfaces.RealOutput phi(unit = "rad") "Angle"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
  equation
    phi = flange.phi;
    annotation(
      Icon(graphics = {
        Text(extent = {{-40, 30}, {40, -30}}, textString = "phi", textColor = {70, 70, 70})}),
      Documentation(info = "<html>
<p>Angle of a flange.</p>
</html>"));
  end AngleSensor;

  model SpeedSensor "Measures the angular velocity"
    extends Interfaces.AbsoluteSensor;
    Blocks.Interfaces.RealOutput w(unit = "rad/s") "Angular velocity"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
  equation
    w = der(flange.phi);
    annotation(
      Icon(graphics = {
        Text(extent = {{-40, 30}, {40, -30}}, textString = "w", textColor = {70, 70, 70})}),
      Documentation(info = "<html>
<p>Angular velocity of a flange.</p>
</html>"));
  end SpeedSensor;

  model AccelerationSensor "Measures the angular acceleration"
    extends Interfaces.AbsoluteSensor;
    Units.AngularVelocity w "Angular velocity";
    Blocks.Interfaces.RealOutput alpha(unit = "rad/s2") "Angular acceleration"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
  equation
    w = der(flange.phi);
    alpha = der(w);
    annotation(
      Icon(graphics = {
        Text(extent = {{-40, 30}, {40, -30}}, textString = "a", textColor = {70, 70, 70})}),
      Documentation(info = "<html>
<p>Angular acceleration of a flange.</p>
</html>"));
  end AccelerationSensor;

  model RelativeAngleSensor "Measures the angle between two flanges"
    extends Interfaces.RelativeSensor;
    Blocks.Interfaces.RealOutput phi_rel(unit = "rad") "Angle of b relative to a"
      annotation(Placement(transformation(extent = {{-10, -120}, {10, -100}})));
  equation
    phi_rel = b.phi - a.phi;
    annotation(
      Icon(graphics = {
        Text(extent = {{-40, 30}, {40, -30}}, textString = "phi", textColor = {70, 70, 70})}),
      Documentation(info = "<html>
<p>Angle of one flange relative to another.</p>
</html>"));
  end RelativeAngleSensor;

  model RelativeSpeedSensor "Measures the angular velocity between two flanges"
    extends Interfaces.RelativeSensor;
    Blocks.Interfaces.RealOutput w_rel(unit = "rad/s") "Angular velocity of b relative to a"
      annotation(Placement(transformation(extent = {{-10, -120}, {10, -100}})));
    Units.Angle phi_rel "Angle of b relative to a";
  equation
    phi_rel = b.phi - a.phi;
    w_rel = der(phi_rel);
    annotation(
      Icon(graphics = {
        Text(extent = {{-40, 30}, {40, -30}}, textString = "w", textColor = {70, 70, 70})}),
      Documentation(info = "<html>
<p>Angular velocity of one flange relative to another.</p>
</html>"));
  end RelativeSpeedSensor;

  model TorqueSensor "Measures the torque in a shaft"
    extends Interfaces.TwoFlanges;
    Blocks.Interfaces.RealOutput tau(unit = "N.m") "Torque transmitted from a to b"
      annotation(Placement(transformation(extent = {{-10, -120}, {10, -100}})));
  equation
    a.phi = b.phi;
    a.tau = tau;
    b.tau = -tau;
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-60, -60}, {60, 60}},
          lineColor = {70, 70, 70}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {-60, 0}}, color = {70, 70, 70}),
        Line(points = {{60, 0}, {90, 0}}, color = {70, 70, 70}),
        Line(points = {{0, -60}, {0, -100}}, color = {70, 70, 70}),
        Text(extent = {{-40, 30}, {40, -30}}, textString = "tau", textColor = {70, 70, 70}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Torque that goes through it. It is connected in series.</p>
</html>"));
  end TorqueSensor;

  model PowerSensor "Measures the power in a shaft"
    extends Interfaces.TwoFlanges;
    Blocks.Interfaces.RealOutput power(unit = "W") "Power transmitted from a to b"
      annotation(Placement(transformation(extent = {{-10, -120}, {10, -100}})));
  equation
    a.phi = b.phi;
    0 = a.tau + b.tau;
    power = a.tau*der(a.phi);
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-60, -60}, {60, 60}},
          lineColor = {70, 70, 70}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {-60, 0}}, color = {70, 70, 70}),
        Line(points = {{60, 0}, {90, 0}}, color = {70, 70, 70}),
        Line(points = {{0, -60}, {0, -100}}, color = {70, 70, 70}),
        Text(extent = {{-40, 30}, {40, -30}}, textString = "W", textColor = {70, 70, 70}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Power that goes through it. It is connected in series.</p>
</html>"));
  end PowerSensor;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {70, 70, 70}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Ellipse(extent = {{-40, -40}, {40, 40}},
        lineColor = {70, 70, 70}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-20, -20}, {20, 20}}, color = {70, 70, 70})}),
    Documentation(info = "<html>
<p>They measure without influence on the motion.</p>
</html>"));
end Sensors;
