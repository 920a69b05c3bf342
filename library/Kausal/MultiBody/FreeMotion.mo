within Kausal.MultiBody;
model FreeMotion "No constraint at all: six degrees of freedom"
  extends Interfaces.TwoFrames;
  parameter Units.Position r_start[3] = zeros(3) "Initial position of b relative to a, resolved in a";
  parameter Units.Velocity v_start[3] = zeros(3) "Initial velocity of b relative to a, resolved in a";
  parameter Units.Angle angles_start[3] = zeros(3) "Initial angles about the axes x, y, z, one after the other";
  parameter Units.AngularVelocity w_start[3] = zeros(3) "Initial angular velocity of b relative to a, resolved in b";
  parameter Real stabilization(unit = "1/s", min = 0) = 10 "Rate with which the quaternion is held at length one";
  Units.Position r_rel[3](each stateSelect = StateSelect.always) "Position of b relative to a, resolved in a";
  Units.Velocity v_rel[3](each stateSelect = StateSelect.always) "Derivative of r_rel";
  Units.Acceleration a_rel[3] "Derivative of v_rel";
  Real Q[4](each stateSelect = StateSelect.always) "Quaternion: three elements along the axis, then the scalar";
  Units.AngularVelocity w_rel[3](each stateSelect = StateSelect.always)
    "Angular velocity of b relative to a, resolved in b";
  Units.AngularAcceleration z_rel[3] "Derivative of w_rel";
  Real S_rel[3, 3] "Rotation matrix from a to b";
initial equation
  r_rel = r_start;
  v_rel = v_start;
  Q = Functions.quaternion(angles_start);
  w_rel = w_start;
equation
  Connections.branch(a.m, b.m);
  der(r_rel) = v_rel;
  der(v_rel) = a_rel;
  der(Q[1:3]) = (Q[4]*w_rel + cross(Q[1:3], w_rel))/2 + stabilization*(1 - Q*Q)*Q[1:3];
  der(Q[4]) = -Q[1:3]*w_rel/2 + stabilization*(1 - Q*Q)*Q[4];
  der(w_rel) = z_rel;
  S_rel = identity(3) +
    2/(Q*Q)*(outerProduct(Q[1:3], Q[1:3]) - Q[1:3]*Q[1:3]*identity(3) - Q[4]*skew(Q[1:3]));

  b.m.r = a.m.r + transpose(a.m.S)*r_rel;
  b.m.S = S_rel*a.m.S;
  b.m.vel = S_rel*(a.m.vel + cross(a.m.omega, r_rel) + v_rel);
  b.m.omega = S_rel*a.m.omega + w_rel;
  b.m.acc = S_rel*(relax(a.m.acc) + cross(relax(a.m.alpha), r_rel) + a_rel +
    cross(a.m.omega, cross(a.m.omega, r_rel) + 2*v_rel));
  b.m.alpha = S_rel*relax(a.m.alpha) + z_rel + cross(b.m.omega, w_rel);

  a.f = -transpose(S_rel)*b.f;
  a.t = -transpose(S_rel)*b.t + cross(r_rel, a.f);
  zeros(3) = a.f + residue(a_rel);
  zeros(3) = b.t + residue(z_rel);
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-60, 0}}, color = {90, 80, 40}, thickness = 0.5),
      Line(points = {{60, 0}, {90, 0}}, color = {90, 80, 40}, thickness = 0.5),
      Line(points = {{-40, 0}, {-10, 40}, {10, -40}, {40, 0}}, color = {90, 80, 40}, smooth = Smooth.Bezier),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>Has no force and no constraint: it gives a body that hangs nowhere its states. The orientation is a quaternion, so
that no attitude is singular; see <code>Spherical</code>.</p>
</html>"));
end FreeMotion;
