within Kausal;
package Rotational "Rotation about one axis: drive trains"
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {70, 70, 70}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{-40, -50}, {40, 50}},
        lineColor = {70, 70, 70}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
      Line(points = {{-90, 0}, {-40, 0}}, color = {70, 70, 70}, thickness = 0.5),
      Line(points = {{40, 0}, {90, 0}}, color = {70, 70, 70}, thickness = 0.5)}),
    Documentation(info = "<html>
<p>Drive trains. Components meet in <code>Flange</code>s: connected flanges have the same angle, and their torques
add up to zero. A positive torque at a flange accelerates the component towards positive angles.</p>
<p>Components can be connected either way round. Inertias that are connected rigidly or by gears have only one common
angle and angular velocity as states; the translator finds this out by differentiating the equations of the gears.
They have one acceleration together, and no inertia knows whether it is the one to tear at: so none of them says
<code>residue</code>, and the translator chooses.</p>
</html>"));
end Rotational;
