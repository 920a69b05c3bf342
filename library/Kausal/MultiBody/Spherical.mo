within Kausal.MultiBody;
model Spherical "Joint with three degrees of freedom of rotation"
  extends Interfaces.TwoFrames;
  parameter Units.Angle angles_start[3] = zeros(3) "Initial angles about the axes x, y, z, one after the other";
  parameter Units.AngularVelocity w_start[3] = zeros(3) "Initial angular velocity of b relative to a, resolved in b";
  parameter Real stabilization(unit = "1/s", min = 0) = 10 "Rate with which the quaternion is held at length one";
  Real Q[4](each stateSelect = StateSelect.always) "Quaternion: three elements along the axis, then the scalar";
  Units.AngularVelocity w_rel[3](each stateSelect = StateSelect.always)
    "Angular velocity of b relative to a, resolved in b";
  Units.AngularAcceleration z_rel[3] "Derivative of w_rel";
  Real S_rel[3, 3] "Rotation matrix from a to b";
initial equation
  Q = Functions.quaternion(angles_start);
  w_rel = w_start;
equation
  Connections.branch(a.m, b.m);
  der(Q[1:3]) = (Q[4]*w_rel + cross(Q[1:3], w_rel))/2 + stabilization*(1 - Q*Q)*Q[1:3];
  der(Q[4]) = -Q[1:3]*w_rel/2 + stabilization*(1 - Q*Q)*Q[4];
  der(w_rel) = z_rel;
  S_rel = identity(3) +
    2/(Q*Q)*(outerProduct(Q[1:3], Q[1:3]) - Q[1:3]*Q[1:3]*identity(3) - Q[4]*skew(Q[1:3]));

  if Connections.rooted(a.m) then
    b.m.r = a.m.r;
    b.m.S = S_rel*a.m.S;
    b.m.vel = S_rel*a.m.vel;
    b.m.omega = S_rel*a.m.omega + w_rel;
    b.m.acc = S_rel*relax(a.m.acc);
    b.m.alpha = S_rel*relax(a.m.alpha) + z_rel + cross(b.m.omega, w_rel);
    a.f = -transpose(S_rel)*b.f;
    a.t = -transpose(S_rel)*b.t;
  else
    a.m.r = b.m.r;
    a.m.S = transpose(S_rel)*b.m.S;
    a.m.vel = transpose(S_rel)*b.m.vel;
    a.m.omega = transpose(S_rel)*(b.m.omega - w_rel);
    a.m.acc = transpose(S_rel)*relax(b.m.acc);
    a.m.alpha = transpose(S_rel)*(relax(b.m.alpha) - z_rel - cross(b.m.omega, w_rel));
    b.f = -S_rel*a.f;
    b.t = -S_rel*a.t;
  end if;
  zeros(3) = b.t + residue(z_rel);
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-40, 0}}, color = {90, 80, 40}, thickness = 0.5),
      Line(points = {{30, 0}, {90, 0}}, color = {90, 80, 40}, thickness = 0.5),
      Ellipse(extent = {{-50, -50}, {50, 50}},
        lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Ellipse(extent = {{-30, -30}, {30, 30}},
        lineColor = {90, 80, 40}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>The orientation is described by a quaternion, which has no singular positions. Its four elements are integrated;
that the sum of their squares is one, which the differential equations keep but for small errors, is enforced by a
stabilizing term. In a loop use <code>CutJoints.Spherical</code> instead.</p>
</html>"));
end Spherical;
