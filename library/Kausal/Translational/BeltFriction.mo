within Kausal.Translational;
model BeltFriction "Dry friction on a belt that moves"
  extends Interfaces.DryFriction;
  parameter Units.Force fn(min = 0) = 1 "Normal force";
  parameter Real mu(min = 0) = 0.5 "Friction coefficient while sliding fast";
  parameter Real mu_s(min = 0) = 0 "Additional friction coefficient at low relative speed";
  parameter Units.Velocity v_s(min = Constants.small) = 0.1 "Relative speed at which it has fallen to 37 percent";
  parameter Real peak(min = 1) = 1 "Largest friction at rest over friction while sliding at zero speed";
  parameter Units.Velocity v_belt = 1 "Velocity of the belt";
  Interfaces.Flange flange "What lies on the belt"
    annotation(Placement(transformation(extent = {{-10, 90}, {10, 110}})));
  Units.Position s_abs "Position of what lies on the belt";
equation
  s_abs = flange.s;
  v_rel = der(s_abs) - v_belt;
  flange.f = f;

  free = false;
  f0 = (mu + mu_s)*fn;
  f0_max = peak*f0;
  f_slide = fn*Friction.stribeck(v_rel, mu, mu_s, 0, v_s);
  annotation(
    Icon(graphics = {
      Ellipse(extent = {{-80, -60}, {-40, -20}},
        lineColor = {0, 110, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Ellipse(extent = {{40, -60}, {80, -20}},
        lineColor = {0, 110, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-60, -20}, {60, -20}}, color = {0, 110, 0}),
      Line(points = {{-60, -60}, {60, -60}}, color = {0, 110, 0}),
      Line(points = {{0, -20}, {0, 90}}, color = {0, 110, 0}),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>What lies on the belt sticks to it while the force is small and slides else; see
<code>Friction.StickSlip</code>.</p>
</html>"));
end BeltFriction;
