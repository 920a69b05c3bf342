within Kausal;
package MultiBody "Rigid bodies in three dimensions"
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-60, -60}, {0, 0}}, color = {90, 80, 40}, thickness = 0.5),
      Line(points = {{0, 0}, {60, -20}}, color = {90, 80, 40}, thickness = 0.5),
      Ellipse(extent = {{-10, -10}, {10, 10}},
        lineColor = {90, 80, 40}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Ellipse(extent = {{-70, -70}, {-50, -50}},
        lineColor = {90, 80, 40}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid)}),
    Documentation(info = "<html>
<p>Systems of rigid bodies that are connected by joints. Each model has one <code>inner World world</code>, which
gives the inertial frame and gravity. A joint is connected with its frame <code>a</code> to the world or to a part
that comes before it, and moves what is connected to its frame <code>b</code>.</p>
<h4>Frames</h4>
<p>A frame carries its position, orientation, velocity and acceleration, and the force and torque that act there. All
vectors but the position are resolved in the frame itself, and velocity and acceleration are variables of their own
instead of derivatives of the position: each joint says how the motion of its frame <code>b</code> follows from that
of frame <code>a</code> and from its coordinate <code>q</code>, its velocity <code>qd</code> and its acceleration
<code>qdd</code>. Gravity is in the acceleration: the world accelerates upwards, and bodies feel no other weight.</p>
<h4>Equations of motion</h4>
<p>Given q, qd and qdd, all motions follow from the root to the leaves of the tree and all forces from the leaves to
the root, without any system of equations. So the accelerations qdd are marked as tearing variables and the equations
of the driving torques as residues (<code>residue(qdd)</code> in each joint): what remains is the usual
<code>M(q)*qdd = h(q, qd)</code>. The accelerations of frame <code>a</code> are marked with <code>relax</code> in the
joints, which gives the translator the other choice: eliminating one joint after the other from the leaves to the
root, with an effort that grows only linearly with the number of joints. See Otter, Elmqvist and Cellier,
<i>Relaxing</i>, and Elmqvist and Otter, <i>Methods for tearing systems of equations in object-oriented
modeling</i>.</p>
<h4>Loops</h4>
<p>A kinematic loop is closed by one of the <code>CutJoints</code>. It constrains the positions; the translator
differentiates the constraints and chooses the states. With <code>allLevels = true</code> in the cut-joint and
<code>state = false</code> in as many joint coordinates as it has constraints, positions, velocities and accelerations
are constrained by equations of their own, nothing is differentiated and the states are those of the other joints.</p>
<p>A loop of joints with at least seven coordinates in all may also be closed by a plain connection of two frames.</p>
</html>"));
end MultiBody;
