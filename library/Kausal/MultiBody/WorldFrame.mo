within Kausal.MultiBody;
package WorldFrame "Parts with all vectors resolved in the frame of the world"
  record Motion "Position, orientation and motion of a point of a rigid part"
    Units.Position r[3] "Position";
    Real S[3, 3] "Orientation: the columns are the axes of the part";
    Units.AngularVelocity omega[3] "Angular velocity";
    Units.Acceleration acc[3] "Acceleration minus gravity";
    Units.AngularAcceleration alpha[3] "Angular acceleration";

    encapsulated function equalityConstraint "What must be zero so that two frames coincide"
      import Kausal.MultiBody.WorldFrame.Motion;
      input Motion m1 "Motion of the first frame";
      input Motion m2 "Motion of the second frame";
      output Real residue[6] "Distance of the origins, and the angles of a small rotation";
    algorithm
      residue := {m2.r[1] - m1.r[1], m2.r[2] - m1.r[2], m2.r[3] - m1.r[3],
        m2.S[:, 2]*m1.S[:, 3], m2.S[:, 3]*m1.S[:, 1], m2.S[:, 1]*m1.S[:, 2]};
      annotation(
        Inline = true,
        Documentation(info = "<html>
<p>Six equations that say that two frames are one.</p>
</html>"));
    end equalityConstraint;
    annotation(
      Documentation(info = "<html>
<p>Position, orientation and motion, all vectors resolved in the world.</p>
</html>"));
  end Motion;

  connector Frame "Point of a rigid part"
    Motion m "Where it is and how it moves";
    flow Units.Force f[3] "Force acting on the component";
    flow Units.Torque t[3] "Torque acting on the component";
    annotation(
      Icon(graphics = {
        Rectangle(extent = {{-100, -100}, {100, 100}},
          lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-60, 0}, {60, 0}}, color = {90, 80, 40}),
        Line(points = {{0, -60}, {0, 60}}, color = {90, 80, 40})}),
      Documentation(info = "<html>
<p>Motion, force and torque, all resolved in the world.</p>
</html>"));
  end Frame;

  partial model TwoFrames "Component with two frames"
    Frame a "Frame towards the world"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Frame b "Frame away from the world"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    annotation(
      Documentation(info = "<html>
<p>Frame <code>a</code> is the side from which the motion is known, <code>b</code> the side to which it is passed
on.</p>
</html>"));
  end TwoFrames;

  model World "Inertial frame and gravity"
    parameter Units.Acceleration g = Constants.g "Acceleration of gravity, downwards along the third axis";
    Frame b "The inertial frame"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
  equation
    Connections.root(b.m);
    b.m.r = zeros(3);
    b.m.S = identity(3);
    b.m.omega = zeros(3);
    b.m.acc = {0, 0, g};
    b.m.alpha = zeros(3);
    annotation(
      Icon(graphics = {
        Rectangle(extent = {{-100, -100}, {100, 100}},
          lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-60, -60}, {60, -60}}, color = {90, 80, 40}),
        Line(points = {{-60, -60}, {-60, 60}}, color = {90, 80, 40})}),
      defaultComponentName = "world",
      Documentation(info = "<html>
<p>At rest but for gravity, which is in the acceleration.</p>
</html>"));
  end World;

  model Revolute "Joint with one axis of rotation"
    extends TwoFrames;
    parameter Real n[3] = {0, 0, 1} "Direction of the axis, fixed in the part at a" annotation(Evaluate = true);
    final parameter Real e[3] = n/sqrt(n*n) "Unit vector of the axis" annotation(Evaluate = true);
    Units.Angle q(start = 0, stateSelect = StateSelect.prefer) "Angle";
    Units.AngularVelocity qd(start = 0, stateSelect = StateSelect.prefer) "Angular velocity of b relative to a";
    Units.AngularAcceleration qdd(start = 0) "Angular acceleration of b relative to a";
    Units.Torque tau = 0 "Torque driving b relative to a";
    Real R[3, 3] = [
      e[1]^2 + (1 - e[1]^2)*cos(q), even[3] - odd[3], even[2] + odd[2];
      even[3] + odd[3], e[2]^2 + (1 - e[2]^2)*cos(q), even[1] - odd[1];
      even[2] - odd[2], even[1] + odd[1], e[3]^2 + (1 - e[3]^2)*cos(q)] "Rotation from a to b";
    Real axis[3] = (if Connections.rooted(a.m) then a.m.S else b.m.S)*e "Unit vector of the axis, in the world";
    Units.AngularVelocity omega[3] = axis*qd "Angular velocity of b relative to a";
  protected
    Real even[3] = {e[2]*e[3], e[3]*e[1], e[1]*e[2]}*(1 - cos(q)) "What R has on both sides of its diagonal";
    Real odd[3] = e*sin(q) "What it has with different signs";
  equation
    Connections.branch(a.m, b.m);
    der(q) = qd;
    der(qd) = qdd;
    b.m.r = a.m.r;
    if Connections.rooted(a.m) then
      b.m.S = a.m.S*R;
      b.m.omega = a.m.omega + omega;
      b.m.acc = relax(a.m.acc);
      b.m.alpha = relax(a.m.alpha) + axis*qdd + cross(a.m.omega, omega);
    else
      a.m.S = b.m.S*transpose(R);
      a.m.omega = b.m.omega - omega;
      a.m.acc = relax(b.m.acc);
      a.m.alpha = relax(b.m.alpha) - axis*qdd - cross(b.m.omega, omega);
    end if;
    a.f + b.f = zeros(3);
    a.t + b.t = zeros(3);
    tau = -axis*b.t + residue(qdd);
    annotation(
      Icon(graphics = {
        Line(points = {{-90, 0}, {-30, 0}}, color = {90, 80, 40}, thickness = 0.5),
        Line(points = {{30, 0}, {90, 0}}, color = {90, 80, 40}, thickness = 0.5),
        Rectangle(extent = {{-30, -50}, {30, 50}},
          lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Equations (27) of the paper: the acceleration of the frame towards the world, whichever it is, is relaxed, that of the
joint torn.</p>
</html>"));
  end Revolute;

  model Bar "Rigid bar without mass"
    extends TwoFrames;
    parameter Units.Position r[3] = {1, 0, 0} "Vector from a to b, fixed in the part" annotation(Evaluate = true);
    Units.Position r_w[3] = a.m.S*r "Vector from a to b, in the world";
    Units.Velocity v_w[3] = cross(a.m.omega, r_w) "Velocity of b relative to a, in the world";
  equation
    Connections.branch(a.m, b.m);
    b.m.r = a.m.r + r_w;
    b.m.S = a.m.S;
    b.m.omega = a.m.omega;
    b.m.acc = a.m.acc + cross(a.m.alpha, r_w) + cross(a.m.omega, v_w);
    b.m.alpha = a.m.alpha;
    a.f + b.f = zeros(3);
    a.t + b.t + cross(r_w, b.f) = zeros(3);
    annotation(
      Icon(graphics = {
        Rectangle(extent = {{-90, -8}, {90, 8}},
          lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Equations (25) and (26) of the paper.</p>
</html>"));
  end Bar;

  model Body "Rigid body"
    parameter Units.Mass m = 1 "Mass";
    parameter Units.Position r_CM[3] = zeros(3) "Centre of mass, fixed in the part" annotation(Evaluate = true);
    parameter Units.Inertia I_11 = 0 "Moment of inertia about the first axis of the part, for the centre of mass";
    parameter Units.Inertia I_22 = 0 "Moment of inertia about the second axis, for the centre of mass";
    parameter Units.Inertia I_33 = 0 "Moment of inertia about the third axis, for the centre of mass";
    parameter Units.Inertia I_21 = 0 "Element 2,1 of the inertia tensor";
    parameter Units.Inertia I_31 = 0 "Element 3,1 of the inertia tensor";
    parameter Units.Inertia I_32 = 0 "Element 3,2 of the inertia tensor";
    final parameter Units.Inertia I_a11 = I_11 + m*(r_CM[2]^2 + r_CM[3]^2) "Element 1,1 for the origin of the frame";
    final parameter Units.Inertia I_a22 = I_22 + m*(r_CM[1]^2 + r_CM[3]^2) "Element 2,2";
    final parameter Units.Inertia I_a33 = I_33 + m*(r_CM[1]^2 + r_CM[2]^2) "Element 3,3";
    final parameter Units.Inertia I_a21 = I_21 - m*(r_CM[1]*r_CM[2]) "Element 2,1";
    final parameter Units.Inertia I_a31 = I_31 - m*(r_CM[1]*r_CM[3]) "Element 3,1";
    final parameter Units.Inertia I_a32 = I_32 - m*(r_CM[2]*r_CM[3]) "Element 3,2";
    final parameter Real mr[3] = m*r_CM "Mass times position of the centre of mass";
    Frame a "Frame fixed in the body"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Units.Inertia SI[3, 3] = a.m.S*[I_a11, I_a21, I_a31; I_a21, I_a22, I_a32; I_a31, I_a32, I_a33]
      "Inertia tensor for the origin of the frame, one side in the world";
    Units.Inertia J_11 = SI[1, :]*a.m.S[1, :] "Element 1,1 of the inertia tensor in the world";
    Units.Inertia J_22 = SI[2, :]*a.m.S[2, :] "Element 2,2";
    Units.Inertia J_33 = SI[3, :]*a.m.S[3, :] "Element 3,3";
    Units.Inertia J_21 = SI[2, :]*a.m.S[1, :] "Element 2,1";
    Units.Inertia J_31 = SI[3, :]*a.m.S[1, :] "Element 3,1";
    Units.Inertia J_32 = SI[3, :]*a.m.S[2, :] "Element 3,2";
    Real h[3] = {
      J_11*a.m.omega[1] + J_21*a.m.omega[2] + J_31*a.m.omega[3],
      J_21*a.m.omega[1] + J_22*a.m.omega[2] + J_32*a.m.omega[3],
      J_31*a.m.omega[1] + J_32*a.m.omega[2] + J_33*a.m.omega[3]} "Angular momentum for the origin at rest";
    Real mr_w[3] = a.m.S*mr "Mass times position of the centre of mass, in the world";
    Real p[3] = cross(a.m.omega, mr_w) "Momentum relative to the origin";
  equation
    a.f = m*a.m.acc + cross(a.m.alpha, mr_w) + cross(a.m.omega, p);
    a.t = {
      J_11*a.m.alpha[1] + J_21*a.m.alpha[2] + J_31*a.m.alpha[3],
      J_21*a.m.alpha[1] + J_22*a.m.alpha[2] + J_32*a.m.alpha[3],
      J_31*a.m.alpha[1] + J_32*a.m.alpha[2] + J_33*a.m.alpha[3]} + cross(a.m.omega, h) + cross(mr_w, a.m.acc);
    annotation(
      Icon(graphics = {
        Line(points = {{-90, 0}, {0, 0}}, color = {90, 80, 40}, thickness = 0.5),
        Ellipse(extent = {{-50, -50}, {50, 50}},
          lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>The equations of Newton and Euler for the origin of the frame.</p>
</html>"));
  end Body;

  model Link "Bar with mass"
    extends TwoFrames;
    parameter Units.Position r[3] = {1, 0, 0} "Vector from a to b, fixed in the part" annotation(Evaluate = true);
    parameter Units.Position r_CM[3] = r/2 "Vector from a to the centre of mass" annotation(Evaluate = true);
    parameter Units.Mass m = 1 "Mass";
    parameter Units.Inertia I_11 = 0 "Moment of inertia about the first axis, for the centre of mass";
    parameter Units.Inertia I_22 = 0 "Moment of inertia about the second axis, for the centre of mass";
    parameter Units.Inertia I_33 = 0 "Moment of inertia about the third axis, for the centre of mass";
    parameter Units.Inertia I_21 = 0 "Element 2,1 of the inertia tensor";
    parameter Units.Inertia I_31 = 0 "Element 3,1 of the inertia tensor";
    parameter Units.Inertia I_32 = 0 "Element 3,2 of the inertia tensor";
    Bar bar(r = r) "Geometry"
      annotation(Placement(transformation(extent = {{-10, -10}, {10, 10}})));
    Body body(
      m = m, r_CM = r_CM, I_11 = I_11, I_22 = I_22, I_33 = I_33, I_21 = I_21, I_31 = I_31, I_32 = I_32) "Mass"
      annotation(Placement(transformation(extent = {{-10, 30}, {10, 50}})));
  equation
    connect(a, bar.a) annotation(Line(points = {{-100, 0}, {-10, 0}}, color = {90, 80, 40}));
    connect(bar.b, b) annotation(Line(points = {{10, 0}, {100, 0}}, color = {90, 80, 40}));
    connect(a, body.a) annotation(Line(points = {{-100, 0}, {-75, 0}, {-75, 40}, {-10, 40}}, color = {90, 80, 40}));
    annotation(
      Icon(graphics = {
        Rectangle(extent = {{-90, -15}, {90, 15}},
          lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Ellipse(extent = {{-30, -30}, {30, 30}},
          lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Diagram(coordinateSystem(extent = {{-100, -100}, {100, 100}})),
      Documentation(info = "<html>
<p>A bar, and a body at its frame <code>a</code>.</p>
</html>"));
  end Link;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-60, -60}, {60, -60}}, color = {90, 80, 40}),
      Line(points = {{-60, -60}, {-60, 60}}, color = {90, 80, 40})}),
    Documentation(info = "<html>
<p>The parts of a tree of rigid bodies as Otter, Elmqvist and Cellier print them (<i>Relaxing</i>, equations (24) to
(29)): all vectors are resolved in one common frame. An articulated inertia then passes from joint to joint without
being turned, which takes fewer operations than the parts of <code>MultiBody</code>, whose vectors are resolved in
the frames of the bodies, where joints have general axes. There are neither cut-joints nor velocities of points.</p>
</html>"));
end WorldFrame;
