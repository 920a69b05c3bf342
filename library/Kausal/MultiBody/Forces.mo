within Kausal.MultiBody;
package Forces "Forces and torques"
  model Spring "Linear spring"
    extends Interfaces.LineForce;
    parameter Units.Stiffness c = 1 "Stiffness";
    parameter Units.Length s0 = 0 "Length without tension";
  equation
    f = c*(s - s0);
    annotation(
      Icon(graphics = {
        Line(points = {{-90, 0}, {-60, 0}, {-45, 40}, {-15, -40}, {15, 40}, {45, -40}, {60, 0}, {90, 0}},
          color = {90, 80, 40}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
        Text(extent = {{-150, -110}, {150, -140}}, textString = "c=%c")}),
      Documentation(info = "<html>
<p>Pulls the two origins together with <code>c*(s - s0)</code>.</p>
</html>"));
  end Spring;

  model Damper "Linear damper"
    extends Interfaces.LineForce;
    parameter Units.Damping d = 1 "Damping";
  equation
    f = d*v;
    annotation(
      Icon(graphics = {
        Line(points = {{-90, 0}, {-20, 0}}, color = {90, 80, 40}),
        Rectangle(extent = {{-50, -30}, {30, 30}},
          lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-20, 25}, {-20, -25}}, color = {90, 80, 40}),
        Line(points = {{30, 0}, {90, 0}}, color = {90, 80, 40}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
        Text(extent = {{-150, -110}, {150, -140}}, textString = "d=%d")}),
      Documentation(info = "<html>
<p>Resists a change of the distance of the two origins.</p>
</html>"));
  end Damper;

  model SpringDamper "Linear spring and damper in parallel"
    extends Interfaces.LineForce;
    parameter Units.Stiffness c = 1 "Stiffness";
    parameter Units.Damping d = 1 "Damping";
    parameter Units.Length s0 = 0 "Length without tension";
  equation
    f = c*(s - s0) + d*v;
    annotation(
      Icon(graphics = {
        Line(points = {{-90, 0}, {-60, 0}}, color = {90, 80, 40}),
        Line(points = {{60, 0}, {90, 0}}, color = {90, 80, 40}),
        Line(points = {{-60, 40}, {-60, -40}}, color = {90, 80, 40}),
        Line(points = {{60, 40}, {60, -40}}, color = {90, 80, 40}),
        Line(points = {{-60, 40}, {-45, 60}, {-15, 20}, {15, 60}, {45, 20}, {60, 40}}, color = {90, 80, 40}),
        Line(points = {{-60, -40}, {-10, -40}}, color = {90, 80, 40}),
        Rectangle(extent = {{-30, -60}, {30, -20}},
          lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{30, -40}, {60, -40}}, color = {90, 80, 40}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
        Text(extent = {{-150, -110}, {150, -140}}, textString = "c=%c")}),
      Documentation(info = "<html>
<p><code>f = c*(s - s0) + d*der(s)</code> along the line between the two origins.</p>
</html>"));
  end SpringDamper;

  model WorldForce "Force on a frame, given in the world frame by signals"
    Interfaces.Frame b "Frame on which the force acts"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    Blocks.Interfaces.RealInput force[3](each unit = "N") "Force, resolved in the world frame"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
  equation
    b.f = -b.m.S*force;
    b.t = zeros(3);
    annotation(
      Icon(graphics = {
        Polygon(points = {{-80, 15}, {30, 15}, {30, 40}, {90, 0}, {30, -40}, {30, -15}, {-80, -15}},
          lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>A force given by three signals, resolved in the world frame.</p>
</html>"));
  end WorldForce;

  model WorldTorque "Torque on a frame, given in the world frame by signals"
    Interfaces.Frame b "Frame on which the torque acts"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    Blocks.Interfaces.RealInput torque[3](each unit = "N.m") "Torque, resolved in the world frame"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
  equation
    b.f = zeros(3);
    b.t = -b.m.S*torque;
    annotation(
      Icon(graphics = {
        Line(points = {{-60, -30}, {-30, 40}, {30, 50}, {70, 10}}, color = {90, 80, 40}, smooth = Smooth.Bezier),
        Polygon(points = {{85, -5}, {50, 10}, {70, 30}},
          lineColor = {90, 80, 40}, fillColor = {90, 80, 40}, fillPattern = FillPattern.Solid),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>A torque given by three signals, resolved in the world frame.</p>
</html>"));
  end WorldTorque;

  model FrameForce "Force on a frame, given in that frame by signals"
    Interfaces.Frame b "Frame on which the force acts"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    Blocks.Interfaces.RealInput force[3](each unit = "N") "Force, resolved in the frame"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
  equation
    b.f = -force;
    b.t = zeros(3);
    annotation(
      Icon(graphics = {
        Polygon(points = {{-80, 15}, {30, 15}, {30, 40}, {90, 0}, {30, -40}, {30, -15}, {-80, -15}},
          lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Text(extent = {{-80, -60}, {80, -90}}, textString = "frame", textColor = {90, 80, 40}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>A force given by three signals, resolved in the frame it acts on.</p>
</html>"));
  end FrameForce;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Polygon(points = {{-80, 15}, {30, 15}, {30, 40}, {90, 0}, {30, -40}, {30, -15}, {-80, -15}},
        lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid)}),
    Documentation(info = "<html>
<p>Forces and torques between frames, and on a frame.</p>
</html>"));
end Forces;
