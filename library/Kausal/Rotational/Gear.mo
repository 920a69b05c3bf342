within Kausal.Rotational;
model Gear "Ideal gear"
  extends Interfaces.TwoFlanges;
  extends Interfaces.Housed;
  parameter Real ratio = 1 "Angle of a over angle of b";
equation
  a.phi - support.phi = ratio*(b.phi - support.phi);
  0 = ratio*a.tau + b.tau;
  0 = a.tau + b.tau + tau_support;
  annotation(
    Icon(graphics = {
      Line(points = {{-90, 0}, {-30, 0}}, color = {70, 70, 70}, thickness = 0.5),
      Line(points = {{30, 0}, {90, 0}}, color = {70, 70, 70}, thickness = 0.5),
      Rectangle(extent = {{-40, -60}, {-10, 60}},
        lineColor = {70, 70, 70}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{10, -30}, {40, 30}},
        lineColor = {70, 70, 70}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
      Text(extent = {{-150, -110}, {150, -140}}, textString = "ratio=%ratio")}),
    Documentation(info = "<html>
<p>Without losses, without inertia, without elasticity. The gear can be turned round if the ratio is inverted.</p>
</html>"));
end Gear;
