within Kausal.Translational;
model SupportFriction "Dry and viscous friction on a support at rest"
  extends Interfaces.TwoFlanges;
  extends Interfaces.DryFriction;
  parameter Units.Force f_c(min = 0) = 1 "Coulomb friction";
  parameter Units.Damping d = 0 "Viscous friction";
  parameter Units.Force f_s(min = 0) = 0 "Additional friction at low speed";
  parameter Units.Velocity v_s(min = Constants.small) = 1 "Speed at which it has fallen to 37 percent";
  parameter Real peak(min = 1) = 1 "Largest friction at rest over friction while sliding at zero speed";
  Units.Position s_abs "Position";
  Units.Power loss "Power turned into heat";
equation
  s_abs = a.s;
  b.s = a.s;
  v_rel = der(s_abs);
  0 = a.f + b.f - f;

  free = false;
  f0 = f_c + f_s;
  f0_max = peak*f0;
  f_slide = Friction.stribeck(v_rel, f_c, f_s, d, v_s);
  loss = f*v_rel;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {90, 0}}, color = {0, 110, 0}, thickness = 0.5),
      Rectangle(extent = {{-50, 10}, {50, 40}},
        lineColor = {0, 110, 0}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{-50, -40}, {50, -10}},
        lineColor = {0, 110, 0}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
    Documentation(info = "<html>
<p>Sticks while the force is small, slides else; see <code>Friction.StickSlip</code>.</p>
</html>"));
end SupportFriction;
