within Kausal.Rotational;
package Sources "Torques and prescribed motions"
  model Torque "Torque given by a signal"
    extends Interfaces.Driven;
    Blocks.Interfaces.RealInput tau(unit = "N.m") "Torque driving the flange"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
  equation
    flange.tau = -tau;
    tau_support = tau;
    annotation(
      Icon(graphics = {
        Line(points = {{-100, 0}, {-60, 0}}, color = {70, 70, 70}),
        Line(points = {{-60, -30}, {-30, 40}, {30, 50}, {70, 10}}, color = {70, 70, 70}, smooth = Smooth.Bezier),
        Polygon(points = {{85, -5}, {50, 10}, {70, 30}},
          lineColor = {70, 70, 70}, fillColor = {70, 70, 70}, fillPattern = FillPattern.Solid),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>A torque that is a signal.</p>
</html>"));
  end Torque;

  model ConstantTorque "Constant torque"
    extends Interfaces.Driven;
    parameter Units.Torque tau = 1 "Torque driving the flange";
  equation
    flange.tau = -tau;
    tau_support = tau;
    annotation(
      Icon(graphics = {
        Line(points = {{-60, -30}, {-30, 40}, {30, 50}, {70, 10}}, color = {70, 70, 70}, smooth = Smooth.Bezier),
        Polygon(points = {{85, -5}, {50, 10}, {70, 30}},
          lineColor = {70, 70, 70}, fillColor = {70, 70, 70}, fillPattern = FillPattern.Solid),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
        Text(extent = {{-150, -110}, {150, -140}}, textString = "tau=%tau")}),
      Documentation(info = "<html>
<p>The same torque whatever the speed.</p>
</html>"));
  end ConstantTorque;

  model QuadraticLoad "Load torque that grows with the square of the speed, as that of a fan"
    extends Interfaces.Driven;
    parameter Units.Torque tau_nominal = 1 "Load torque at the nominal speed";
    parameter Units.AngularVelocity w_nominal(min = Constants.small) = 100 "Nominal speed";
    Units.Angle phi "Angle relative to the housing";
    Units.AngularVelocity w "Angular velocity relative to the housing";
  equation
    phi = flange.phi - support.phi;
    w = der(phi);
    flange.tau = tau_nominal*(w/w_nominal)*abs(w/w_nominal);
    tau_support = -flange.tau;
    annotation(
      Icon(graphics = {
        Line(points = {{-60, -30}, {0, -20}, {60, 60}}, color = {70, 70, 70}, smooth = Smooth.Bezier),
        Line(points = {{60, 0}, {90, 0}}, color = {70, 70, 70}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>A torque that grows with the square of the speed and acts against it: a fan, a pump.</p>
</html>"));
  end QuadraticLoad;

  model Position "Angle given by a signal"
    extends Interfaces.Driven;
    Blocks.Interfaces.RealInput phi(unit = "rad") "Angle of the flange relative to the housing"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
  equation
    flange.phi - support.phi = phi;
    0 = flange.tau + tau_support;
    annotation(
      Icon(graphics = {
        Line(points = {{-100, 0}, {90, 0}}, color = {70, 70, 70}),
        Rectangle(extent = {{-40, -40}, {40, 40}},
          lineColor = {70, 70, 70}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Text(extent = {{-30, 30}, {30, -30}}, textString = "phi", textColor = {70, 70, 70}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>The flange follows the signal exactly. Where inertias are connected the signal is differentiated twice, which must
be possible.</p>
</html>"));
  end Position;

  model Speed "Angular velocity given by a signal"
    extends Interfaces.Driven;
    Blocks.Interfaces.RealInput w(unit = "rad/s") "Angular velocity of the flange relative to the housing"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
    parameter Units.Angle phi_start = 0 "Initial angle";
    Units.Angle phi(start = phi_start, fixed = true) "Angle of the flange relative to the housing";
  equation
    phi = flange.phi - support.phi;
    der(phi) = w;
    0 = flange.tau + tau_support;
    annotation(
      Icon(graphics = {
        Line(points = {{-100, 0}, {90, 0}}, color = {70, 70, 70}),
        Rectangle(extent = {{-40, -40}, {40, 40}},
          lineColor = {70, 70, 70}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Text(extent = {{-30, 30}, {30, -30}}, textString = "w", textColor = {70, 70, 70}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Prescribes the speed; the torque is whatever that takes.</p>
</html>"));
  end Speed;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {70, 70, 70}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-60, -30}, {-30, 40}, {30, 50}, {70, 10}}, color = {70, 70, 70}, smooth = Smooth.Bezier)}),
    Documentation(info = "<html>
<p>Torques and prescribed motions.</p>
</html>"));
end Sources;
