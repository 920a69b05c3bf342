within Kausal.MultiBody.Planar;
model Body "Rigid body"
  outer World world "Gravity";
  parameter Units.Mass m = 1 "Mass";
  parameter Units.Inertia I(min = 0) = 0 "Moment of inertia about the centre of mass";
  Interfaces.Frame a "Frame at the centre of mass"
    annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
  Units.Velocity v[2] "Velocity of the centre of mass";
  Units.Acceleration acc[2] "Acceleration of the centre of mass";
  Units.AngularVelocity w "Angular velocity";
  Units.AngularAcceleration alpha "Angular acceleration";
equation
  v = der(a.r);
  acc = der(v);
  w = der(a.phi);
  alpha = der(w);
  m*(acc - world.g) = a.f;
  I*alpha = a.t;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {0, 0}}, color = {90, 80, 40}, thickness = 0.5),
      Ellipse(extent = {{-50, -50}, {50, 50}},
        lineColor = {90, 80, 40}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "m=%m")}),
    Documentation(info = "<html>
<p>The equations of Newton and Euler in a plane, for the centre of mass.</p>
</html>"));
end Body;
