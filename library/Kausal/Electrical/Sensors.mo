within Kausal.Electrical;
package Sensors "Ideal measuring instruments"
  model PotentialSensor "Measures the potential of a pin"
    Interfaces.Pin p "The pin"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Blocks.Interfaces.RealOutput phi(unit = "V") "Potential"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
  equation
    p.i = 0;
    phi = p.v;
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-60, -60}, {60, 60}},
          lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {-60, 0}}, color = {0, 0, 190}),
        Line(points = {{60, 0}, {100, 0}}, color = {0, 0, 190}),
        Text(extent = {{-40, 30}, {40, -30}}, textString = "V", textColor = {0, 0, 190}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>The potential of a pin relative to the ground.</p>
</html>"));
  end PotentialSensor;

  model VoltageSensor "Measures the voltage between two pins"
    Interfaces.Pin p "Positive pin"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Interfaces.Pin n "Negative pin"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    Blocks.Interfaces.RealOutput v(unit = "V") "Voltage from p to n"
      annotation(Placement(transformation(extent = {{-10, -120}, {10, -100}})));
  equation
    p.i = 0;
    n.i = 0;
    v = p.v - n.v;
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-60, -60}, {60, 60}},
          lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {-60, 0}}, color = {0, 0, 190}),
        Line(points = {{60, 0}, {90, 0}}, color = {0, 0, 190}),
        Line(points = {{0, -60}, {0, -100}}, color = {0, 0, 190}),
        Text(extent = {{-40, 30}, {40, -30}}, textString = "V", textColor = {0, 0, 190}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>The voltage between two pins.</p>
</html>"));
  end VoltageSensor;

  model CurrentSensor "Measures the current in a branch"
    Interfaces.Pin p "Positive pin"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Interfaces.Pin n "Negative pin"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    Blocks.Interfaces.RealOutput i(unit = "A") "Current from p to n"
      annotation(Placement(transformation(extent = {{-10, -120}, {10, -100}})));
  equation
    p.v = n.v;
    p.i = i;
    n.i = -i;
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-60, -60}, {60, 60}},
          lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {-60, 0}}, color = {0, 0, 190}),
        Line(points = {{60, 0}, {90, 0}}, color = {0, 0, 190}),
        Line(points = {{0, -60}, {0, -100}}, color = {0, 0, 190}),
        Text(extent = {{-40, 30}, {40, -30}}, textString = "A", textColor = {0, 0, 190}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>The current through it. It is connected in series.</p>
</html>"));
  end CurrentSensor;

  model PowerSensor "Measures the power that flows through"
    Interfaces.Pin pc "Positive pin of the current path"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Interfaces.Pin nc "Negative pin of the current path"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    Interfaces.Pin pv "Positive pin of the voltage path"
      annotation(Placement(transformation(extent = {{-10, 90}, {10, 110}})));
    Interfaces.Pin nv "Negative pin of the voltage path"
      annotation(Placement(transformation(extent = {{-10, -110}, {10, -90}})));
    Blocks.Interfaces.RealOutput power(unit = "W") "Power"
      annotation(Placement(transformation(extent = {{-90, -120}, {-70, -100}})));
  equation
    pc.v = nc.v;
    pc.i + nc.i = 0;
    pv.i = 0;
    nv.i = 0;
    power = pc.i*(pv.v - nv.v);
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-60, -60}, {60, 60}},
          lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {-60, 0}}, color = {0, 0, 190}),
        Line(points = {{60, 0}, {90, 0}}, color = {0, 0, 190}),
        Line(points = {{0, -60}, {0, -90}}, color = {0, 0, 190}),
        Line(points = {{0, 60}, {0, 90}}, color = {0, 0, 190}),
        Line(points = {{-45, -40}, {-80, -100}}, color = {0, 0, 190}),
        Text(extent = {{-40, 30}, {40, -30}}, textString = "W", textColor = {0, 0, 190}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>The product of a current and a voltage, each with pins of its own.</p>
</html>"));
  end PowerSensor;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Ellipse(extent = {{-40, -40}, {40, 40}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-20, -20}, {20, 20}}, color = {0, 0, 190})}),
    Documentation(info = "<html>
<p>They measure without influence: no current flows through a voltage sensor, and no voltage drops over a current
sensor.</p>
</html>"));
end Sensors;
