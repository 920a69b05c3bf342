within Kausal.MultiBody;
model Body "Rigid body"
  parameter Units.Mass m = 1 "Mass";
  parameter Units.Position r_CM[3] = zeros(3) "Centre of mass, resolved in the frame" annotation(Evaluate = true);
  parameter Units.Inertia I_11 = 0 "Moment of inertia about the first axis, for the centre of mass";
  parameter Units.Inertia I_22 = 0 "Moment of inertia about the second axis, for the centre of mass";
  parameter Units.Inertia I_33 = 0 "Moment of inertia about the third axis, for the centre of mass";
  parameter Units.Inertia I_21 = 0 "Element 2,1 of the inertia tensor" annotation(Evaluate = true);
  parameter Units.Inertia I_31 = 0 "Element 3,1 of the inertia tensor" annotation(Evaluate = true);
  parameter Units.Inertia I_32 = 0 "Element 3,2 of the inertia tensor" annotation(Evaluate = true);
  Interfaces.Frame a "Frame fixed in the body"
    annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
  Units.Acceleration acc_CM[3] "Acceleration of the centre of mass minus gravity, resolved in the frame";
  final parameter Units.Inertia I[3, 3] = [I_11, I_21, I_31; I_21, I_22, I_32; I_31, I_32, I_33] "Inertia tensor";
equation
  acc_CM = a.m.acc + cross(a.m.alpha, r_CM) + cross(a.m.omega, cross(a.m.omega, r_CM));
  a.f = m*acc_CM;
  a.t = I*a.m.alpha + cross(a.m.omega, I*a.m.omega) + cross(r_CM, a.f);
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {0, 0}}, color = {90, 80, 40}, thickness = 0.5),
      Ellipse(extent = {{-50, -50}, {50, 50}},
        lineColor = {90, 80, 40}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "m=%m")}),
    Documentation(info = "<html>
<p>The equations of Newton and Euler, resolved in the frame of the body. The centre of mass, which decides which
terms are there at all, is fixed when the model is translated; mass and moments of inertia are not.</p>
</html>"));
end Body;
