within Kausal.MultiBody.Planar;
package Interfaces "Connectors and partial models"
  connector Frame "Frame fixed in a part"
    Units.Position r[2] "Position, resolved in the world frame";
    Units.Angle phi "Angle";
    flow Units.Force f[2] "Force acting on the component, resolved in the world frame";
    flow Units.Torque t "Torque acting on the component";
    annotation(
      Icon(graphics = {
        Rectangle(extent = {{-100, -100}, {100, 100}},
          lineColor = {90, 80, 40}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid),
        Line(points = {{-60, 0}, {60, 0}}, color = {90, 80, 40}),
        Line(points = {{0, -60}, {0, 60}}, color = {90, 80, 40})}),
      Documentation(info = "<html>
<p>Position and angle are equal in connected frames; forces and torques add up to zero. Everything is resolved in the
world frame.</p>
</html>"));
  end Frame;

  partial model TwoFrames "Component with two frames"
    Frame a "First frame"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Frame b "Second frame"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    annotation(
      Documentation(info = "<html>
<p>A component may be connected either way round.</p>
</html>"));
  end TwoFrames;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{-30, -30}, {30, 30}},
        lineColor = {90, 80, 40}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid)}),
    Documentation(info = "<html>
<p>Frames of parts that move in a plane.</p>
</html>"));
end Interfaces;
