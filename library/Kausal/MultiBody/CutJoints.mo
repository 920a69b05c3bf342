within Kausal.MultiBody;
package CutJoints "Joints that close kinematic loops"
  model Spherical "Two points coincide"
    extends Interfaces.CutJoint;
    Units.Force fc[3] "Constraint force on a, resolved in a";
  protected
    constant Real dummy_q[3] = zeros(3) "Marks the constraints of the positions as residues";
    constant Real dummy_qd[3] = zeros(3) "Marks the constraints of the velocities as residues";
    Real tear_f[3] "Makes the constraint force a tearing variable where its equation is differentiated";
  equation
    zeros(3) = r_rel + residue(dummy_q);
    if allLevels then
      zeros(3) = v_rel + residue(dummy_qd);
      zeros(3) = a_rel + residue(fc);
      tear_f = zeros(3);
    else
      tear_f = residue(fc);
    end if;
    a.f = -fc;
    b.f = S_rel*fc;
    a.t = zeros(3);
    b.t = zeros(3);
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-20, -20}, {20, 20}},
          lineColor = {90, 80, 40}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid)}),
      Documentation(info = "<html>
<p>The two origins coincide: three constraints, and a force of three components.</p>
</html>"));
  end Spherical;

  model Revolute "Two axes coincide"
    extends Interfaces.CutJoint;
    parameter Real n[3] = {0, 0, 1} "Axis, the same in both frames" annotation(Evaluate = true);
    Units.Force fc[3] "Constraint force on a, resolved in a";
    Units.Torque tc[2] "Constraint torques on a, about the two directions normal to the axis";
  protected
    final parameter Real e[3] = n/sqrt(n*n) "Unit vector of the axis" annotation(Evaluate = true);
    final parameter Real e1[3] = Functions.perpendicular(e)
      "First direction normal to it" annotation(Evaluate = true);
    final parameter Real e2[3] = cross(e, e1) "Second direction normal to it" annotation(Evaluate = true);
    Real eb[3] "Axis of b, resolved in a";
    constant Real dummy_q[5] = zeros(5) "Marks the constraints of the positions as residues";
    constant Real dummy_qd[5] = zeros(5) "Marks the constraints of the velocities as residues";
    Real tear_f[5] "Makes the constraint forces tearing variables";
  equation
    eb = transpose(S_rel)*e;
    zeros(3) = r_rel + residue(dummy_q[1:3]);
    0 = e1*eb + residue(dummy_q[4]);
    0 = e2*eb + residue(dummy_q[5]);
    if allLevels then
      zeros(3) = v_rel + residue(dummy_qd[1:3]);
      0 = e1*w_rel + residue(dummy_qd[4]);
      0 = e2*w_rel + residue(dummy_qd[5]);
      zeros(3) = a_rel + residue(fc);
      0 = e1*z_rel + residue(tc[1]);
      0 = e2*z_rel + residue(tc[2]);
      tear_f = zeros(5);
    else
      tear_f = residue(cat(1, fc, tc));
    end if;
    a.f = -fc;
    b.f = S_rel*fc;
    a.t = -(e1*tc[1] + e2*tc[2]);
    b.t = S_rel*(e1*tc[1] + e2*tc[2]);
    annotation(
      Icon(graphics = {
        Rectangle(extent = {{-20, -40}, {20, 40}},
          lineColor = {90, 80, 40}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid)}),
      Documentation(info = "<html>
<p>The two origins coincide and the axis is the same in both frames: five constraints. In a loop that is plane anyway
take <code>PlanarRevolute</code>.</p>
</html>"));
  end Revolute;

  model PlanarRevolute "Two axes coincide, in a loop that cannot leave its plane anyway"
    extends Interfaces.CutJoint;
    parameter Real n[3] = {0, 0, 1} "Normal of the plane, the same in both frames" annotation(Evaluate = true);
    Units.Force fc[2] "Constraint forces on a, in the two directions of the plane";
  protected
    final parameter Real e[3] = n/sqrt(n*n) "Unit vector of the normal" annotation(Evaluate = true);
    final parameter Real e1[3] = Functions.perpendicular(e)
      "First direction of the plane" annotation(Evaluate = true);
    final parameter Real e2[3] = cross(e, e1) "Second direction of the plane" annotation(Evaluate = true);
    constant Real dummy_q[2] = zeros(2) "Marks the constraints of the positions as residues";
    constant Real dummy_qd[2] = zeros(2) "Marks the constraints of the velocities as residues";
    Real tear_f[2] "Makes the constraint forces tearing variables";
  equation
    0 = e1*r_rel + residue(dummy_q[1]);
    0 = e2*r_rel + residue(dummy_q[2]);
    if allLevels then
      0 = e1*v_rel + residue(dummy_qd[1]);
      0 = e2*v_rel + residue(dummy_qd[2]);
      0 = e1*a_rel + residue(fc[1]);
      0 = e2*a_rel + residue(fc[2]);
      tear_f = zeros(2);
    else
      tear_f = residue(fc);
    end if;
    a.f = -(e1*fc[1] + e2*fc[2]);
    b.f = S_rel*(e1*fc[1] + e2*fc[2]);
    a.t = zeros(3);
    b.t = zeros(3);
    annotation(
      Icon(graphics = {
        Rectangle(extent = {{-20, -40}, {20, 40}},
          lineColor = {90, 80, 40}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
        Line(points = {{-80, -70}, {80, -70}}, color = {90, 80, 40})}),
      Documentation(info = "<html>
<p>In a loop of revolute joints with parallel axes the constraints along the axes hold by themselves. Stating them
again would make the system of equations singular; this joint leaves them out.</p>
</html>"));
  end PlanarRevolute;

  model Rod "Two points keep their distance, as if joined by a rod without mass"
    extends Interfaces.CutJoint;
    parameter Units.Length L(min = Constants.small) = 1 "Length of the rod";
    Real lambda(unit = "N/m") "Tension of the rod over its length";
  protected
    constant Real dummy_q = 0 "Marks the constraint of the positions as residue";
    constant Real dummy_qd = 0 "Marks the constraint of the velocities as residue";
    Real tear_f "Makes the tension a tearing variable";
  equation
    0 = r_rel*r_rel - L*L + residue(dummy_q);
    if allLevels then
      0 = r_rel*v_rel + residue(dummy_qd);
      0 = r_rel*a_rel + v_rel*v_rel + residue(lambda);
      tear_f = 0;
    else
      tear_f = residue(lambda);
    end if;
    a.f = -lambda*r_rel;
    b.f = S_rel*(lambda*r_rel);
    a.t = zeros(3);
    b.t = zeros(3);
    annotation(
      Icon(graphics = {
        Line(points = {{-40, 0}, {40, 0}}, color = {90, 80, 40}),
        Text(extent = {{-150, -110}, {150, -140}}, textString = "L=%L")}),
      Documentation(info = "<html>
<p>The distance of the two origins is constant: one constraint, and a force along the line between them. It stands for
a massless rod with a spherical joint at each end.</p>
</html>"));
  end Rod;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Ellipse(extent = {{-40, -40}, {40, 40}},
        lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-10, -50}, {10, 50}}, color = {90, 80, 40})}),
    Documentation(info = "<html>
<p>A cut-joint closes a loop whose other joints form a tree. The constraint forces are marked as tearing variables
and the constraints as residues, so that with them assumed to be known the system is a tree again.</p>
</html>"));
end CutJoints;
