within Kausal.MultiBody;
package Interfaces "Connectors and partial models"
  record Motion "Position, orientation and motion of a frame"
    Units.Position r[3] "Position of the origin, resolved in the world frame";
    Real S[3, 3] "Rotation matrix: S*x resolves a vector x of the world frame in this frame";
    Units.Velocity vel[3] "Velocity of the origin, resolved in this frame";
    Units.AngularVelocity omega[3] "Angular velocity, resolved in this frame";
    Units.Acceleration acc[3] "Acceleration of the origin minus gravity, resolved in this frame";
    Units.AngularAcceleration alpha[3] "Angular acceleration, resolved in this frame";

    encapsulated function equalityConstraint "What must be zero so that two frames coincide"
      import Kausal.MultiBody.Interfaces.Motion;
      input Motion m1 "Motion of the first frame";
      input Motion m2 "Motion of the second frame";
      output Real residue[6] "Distance of the origins, and the angles of a small rotation";
    algorithm
      residue := {m2.r[1] - m1.r[1], m2.r[2] - m1.r[2], m2.r[3] - m1.r[3],
        m2.S[2, :]*m1.S[3, :], m2.S[3, :]*m1.S[1, :], m2.S[1, :]*m1.S[2, :]};
      annotation(
        Inline = true,
        Documentation(info = "<html>
<p>Three differences of positions and three scalar products of axes that are orthogonal in equal frames; near equality
these are the angles of the rotation between the frames.</p>
</html>"));
    end equalityConstraint;
    annotation(
      Documentation(info = "<html>
<p>The 24 variables are not independent: orientation has only three degrees of freedom, and the motions of two frames
that stay together are the same. Where connections close a loop without a cut-joint, the six equations of
<code>equalityConstraint</code> are used instead of the equality of all variables.</p>
</html>"));
  end Motion;

  connector Frame "Frame fixed in a rigid part"
    Motion m "Where the frame is and how it moves";
    flow Units.Force f[3] "Force acting on the component, resolved in the frame";
    flow Units.Torque t[3] "Torque acting on the component, resolved in the frame";
    annotation(
      Icon(graphics = {
        Rectangle(extent = {{-100, -100}, {100, 100}},
          lineColor = {90, 80, 40}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
        Line(points = {{-60, 0}, {60, 0}}, color = {90, 80, 40}),
        Line(points = {{0, -60}, {0, 60}}, color = {90, 80, 40})}),
      Documentation(info = "<html>
<p>Position, orientation and motion are equal in connected frames; forces and torques add up to zero. Everything but
the position is resolved in the frame itself.</p>
</html>"));
  end Frame;

  partial model TwoFrames "Component with two frames"
    Frame a "Frame towards the world"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Frame b "Frame away from the world"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    annotation(
      Documentation(info = "<html>
<p>Frame <code>a</code> is the side from which the motion is known, <code>b</code> the side to which it is passed on;
a component may also be connected the other way round.</p>
</html>"));
  end TwoFrames;

  partial model Joint "Joint of a tree, with one coordinate"
    extends TwoFrames;
    parameter Real n[3] = {0, 0, 1} "Direction of the axis, the same in both frames" annotation(Evaluate = true);
    parameter Boolean state = true "Are the coordinate and its velocity integrated? See the package MultiBody"
      annotation(Evaluate = true);
    parameter StateSelect stateSelect = StateSelect.prefer "Are they wanted as states?";
    final parameter Real e[3] = n/sqrt(n*n) "Unit vector of the axis" annotation(Evaluate = true);
    annotation(
      Documentation(info = "<html>
<p>One coordinate moves <code>b</code> relative to <code>a</code>, along or about the axis <code>n</code>. What
extends it gives the equations of motion and forces.</p>
</html>"));
  end Joint;

  partial model CutJoint "Joint that closes a loop"
    Frame a "First frame"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Frame b "Second frame"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    parameter Boolean allLevels = false "Are velocities and accelerations constrained too? See the package MultiBody"
      annotation(Evaluate = true);
    Real S_rel[3, 3] "Rotation matrix from a to b";
    Units.Position r_rel[3] "Position of b relative to a, resolved in a";
    Units.Velocity v_rel[3] "Velocity of b relative to a, resolved in a";
    Units.Acceleration a_rel[3] "Acceleration of b relative to a, resolved in a";
    Units.AngularVelocity w_rel[3] "Angular velocity of b relative to a, resolved in a";
    Units.AngularAcceleration z_rel[3] "Angular acceleration of b relative to a, resolved in a";
  equation
    S_rel = b.m.S*transpose(a.m.S);
    r_rel = a.m.S*(b.m.r - a.m.r);
    v_rel = transpose(S_rel)*b.m.vel - a.m.vel - cross(a.m.omega, r_rel);
    a_rel = transpose(S_rel)*b.m.acc - a.m.acc - cross(a.m.alpha, r_rel) -
      cross(a.m.omega, cross(a.m.omega, r_rel) + 2*v_rel);
    w_rel = transpose(S_rel)*b.m.omega - a.m.omega;
    z_rel = transpose(S_rel)*b.m.alpha - a.m.alpha - cross(a.m.omega, w_rel);
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-60, -60}, {60, 60}},
          lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {-30, 0}}, color = {90, 80, 40}, thickness = 0.5),
        Line(points = {{30, 0}, {90, 0}}, color = {90, 80, 40}, thickness = 0.5),
        Line(points = {{-10, -50}, {10, 50}}, color = {90, 80, 40}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Computes how <code>b</code> moves relative to <code>a</code>. What extends it says which of this must be zero, and
with which forces; no motion is passed on.</p>
</html>"));
  end CutJoint;

  partial model LineForce "Force along the line between two frames"
    Frame a "First frame"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Frame b "Second frame"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    parameter Units.Length s_small(min = Constants.small) = 1e-10 "Smallest length to divide by";
    Units.Position r[3] "Position of b relative to a, resolved in the world frame";
    Units.Length s "Distance of the two origins";
    Units.Velocity v "Rate of change of the distance";
    Units.Force f "Force that pulls the two origins together";
    Real e[3] "Unit vector from a to b, resolved in the world frame";
  equation
    r = b.m.r - a.m.r;
    s = sqrt(r*r);
    e = r/noEvent(max(s, s_small));
    v = e*(transpose(b.m.S)*b.m.vel - transpose(a.m.S)*a.m.vel);
    a.f = -a.m.S*(f*e);
    b.f = b.m.S*(f*e);
    a.t = zeros(3);
    b.t = zeros(3);
    annotation(
      Documentation(info = "<html>
<p>The two origins are pulled together by <code>f</code>; what extends it gives the equation of <code>f</code>. Where
the distance is less than <code>s_small</code> the direction is uncertain and the force fades out.</p>
</html>"));
  end LineForce;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{-30, -30}, {30, 30}},
        lineColor = {90, 80, 40}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid)}),
    Documentation(info = "<html>
<p>Frames, and what joints, cut-joints and forces have in common.</p>
</html>"));
end Interfaces;
