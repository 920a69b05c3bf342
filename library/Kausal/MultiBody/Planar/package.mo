within Kausal.MultiBody;
package Planar "Rigid bodies in a plane"
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-60, -40}, {0, 40}}, color = {90, 80, 40}, thickness = 0.5),
      Line(points = {{0, 40}, {70, -40}}, color = {90, 80, 40}, thickness = 0.5),
      Ellipse(extent = {{-70, -50}, {-50, -30}},
        lineColor = {90, 80, 40}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid)}),
    Documentation(info = "<html>
<p>Mechanisms that move in the x-y plane. The frames carry only position and angle; velocities and accelerations are
derivatives. So components can be connected in any way, loops included: the translator differentiates the constraints
as often as necessary and chooses the states. Each model needs one <code>inner World world</code> of this package.</p>
</html>"));
end Planar;
