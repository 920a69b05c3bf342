within Kausal.Electrical;
model EMF "Electromotive force: what couples the electrical and the mechanical side of a motor"
  extends Interfaces.OnePort;
  extends Rotational.Interfaces.Housed;
  parameter Units.MotorConstant k = 1 "Torque per current";
  Rotational.Interfaces.Flange shaft "Rotor"
    annotation(Placement(transformation(extent = {{-10, 90}, {10, 110}})));
  Units.Angle phi "Angle of the rotor relative to the housing";
  Units.AngularVelocity w "Angular velocity of the rotor relative to the housing";
equation
  phi = shaft.phi - support.phi;
  w = der(phi);
  v = k*w;
  shaft.tau = -k*i;
  tau_support = k*i;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {90, 0}}, color = {0, 0, 190}),
      Ellipse(extent = {{-40, -40}, {40, 40}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{0, 40}, {0, 90}}, color = {0, 0, 190}, thickness = 0.5),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "k=%k")}),
    Documentation(info = "<html>
<p><code>v = k*w</code> and torque <code>= k*i</code>: the electrical power <code>v*i</code> leaves the component as
mechanical power.</p>
</html>"));
end EMF;
