within Kausal.Friction;
partial model StickSlip "Sticking and sliding"
  Real v_rel "Relative velocity of the two surfaces";
  Real a_rel "Relative acceleration of the two surfaces";
  Real f "Friction force or torque, against the relative velocity";
  Real f_slide "Friction while sliding at the present speed, not negative";
  Real f0 "Friction while sliding at zero speed";
  Real f0_max "Largest friction while sticking, at least f0";
  Boolean free "Are the surfaces apart?";
  Integer mode(start = 0, fixed = true)
    "1, -1: sliding forward or backward; 2: free; 0: sticking or just breaking away";
  Boolean breakForward(start = false, fixed = true) "Is the limit of sticking exceeded in forward direction?";
  Boolean breakBackward(start = false, fixed = true) "Is the limit of sticking exceeded in backward direction?";
  Boolean stuck "Do the surfaces stick to each other?";
protected
  Real s "Parameter along the characteristic";
equation
  // What slides in the beginning does so in the direction of its velocity, whatever s says.
  breakForward = pre(mode) == 0 and (s > f0_max or pre(breakForward) and s > f0) and not (initial() and v_rel < 0)
    or initial() and v_rel > 0;
  breakBackward = pre(mode) == 0 and (s < -f0_max or pre(breakBackward) and s < -f0) and not (initial() and v_rel > 0)
    or initial() and v_rel < 0;

  // The characteristic: s is the friction while sticking and the acceleration, shifted, while sliding.
  a_rel = if free then s
    else if breakForward or pre(mode) == 1 then s - f0_max
    else if breakBackward or pre(mode) == -1 then s + f0_max
    else 0;
  f = if free then 0
    else if pre(mode) == 1 then f_slide
    else if pre(mode) == -1 then -f_slide
    else if breakForward then f0
    else if breakBackward then -f0
    else s;
  stuck = not (free or breakForward or breakBackward or pre(mode) == 1 or pre(mode) == -1);

  // A velocity of the right sign confirms a direction of sliding; at velocity zero the sliding ends.
  mode = if free then 2
    else if (pre(mode) == 1 or pre(mode) == 2 or breakForward) and v_rel > 0 then 1
    else if (pre(mode) == -1 or pre(mode) == 2 or breakBackward) and v_rel < 0 then -1
    else 0;
  annotation(
    Icon(graphics = {
      Line(points = {{-80, 0}, {80, 0}}, color = {70, 70, 70}),
      Line(points = {{0, -80}, {0, 80}}, color = {70, 70, 70}),
      Line(points = {{-80, -60}, {0, -40}, {0, 40}, {80, 60}}, color = {70, 70, 70})}),
    Documentation(info = "<html>
<p>Dry friction has a vertical branch in its characteristic: at velocity zero the force takes any value up to a limit,
whatever is needed to keep the surfaces at rest. There the velocity says nothing about the force, and the
acceleration is the quantity to look at. So the characteristic is described over velocity <i>and</i> acceleration, by
a parameter <code>s</code> that runs along the curve:</p>
<ul>
<li><b>sticking</b>: the acceleration is zero and <code>s</code> is the friction;</li>
<li><b>breaking away</b>: <code>s</code> has exceeded the limit <code>f0_max</code>; from now on it is the
acceleration plus that limit, and the friction is that of sliding at zero speed;</li>
<li><b>sliding</b>: as soon as the velocity has the sign of the acceleration, the mode remembers the direction until
the velocity returns to zero.</li>
</ul>
<p>The Boolean unknowns and the accelerations depend on each other; together they form a mixed system of equations
which the simulator solves by iteration at events.</p>
<p>A model that extends this one relates <code>v_rel</code>, <code>a_rel</code> and <code>f</code> to its connectors
and gives <code>f_slide</code>, <code>f0</code>, <code>f0_max</code> and <code>free</code>.</p>
</html>"));
end StickSlip;
