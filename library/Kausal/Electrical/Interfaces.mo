within Kausal.Electrical;
package Interfaces "Connectors and partial models"
  connector Pin "Electrical pin"
    Units.Voltage v "Potential at the pin";
    flow Units.Current i "Current flowing into the component";
    annotation(
      Icon(graphics = {
        Rectangle(extent = {{-100, -100}, {100, 100}},
          lineColor = {0, 0, 190}, fillColor = {0, 0, 190}, fillPattern = FillPattern.Solid)}),
      Documentation(info = "<html>
<p>Connected pins have the same potential; the currents into them add up to zero.</p>
</html>"));
  end Pin;

  partial model OnePort "Component with two pins and one current"
    Pin p "Positive pin"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Pin n "Negative pin"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    Units.Voltage v "Voltage drop from p to n";
    Units.Current i "Current from p to n";
  equation
    v = p.v - n.v;
    i = p.i;
    0 = p.i + n.i;
    annotation(
      Documentation(info = "<html>
<p>The current that enters at <code>p</code> leaves at <code>n</code>. The product <code>v*i</code> is the power that
the component takes from the circuit. What is missing is one equation between <code>v</code> and <code>i</code>.</p>
</html>"));
  end OnePort;

  partial model TwoPort "Component with two pairs of pins"
    Pin p1 "Positive pin of the left port"
      annotation(Placement(transformation(extent = {{-110, 40}, {-90, 60}})));
    Pin n1 "Negative pin of the left port"
      annotation(Placement(transformation(extent = {{-110, -60}, {-90, -40}})));
    Pin p2 "Positive pin of the right port"
      annotation(Placement(transformation(extent = {{90, 40}, {110, 60}})));
    Pin n2 "Negative pin of the right port"
      annotation(Placement(transformation(extent = {{90, -60}, {110, -40}})));
    Units.Voltage v1 "Voltage drop over the left port";
    Units.Voltage v2 "Voltage drop over the right port";
    Units.Current i1 "Current from p1 to n1";
    Units.Current i2 "Current from p2 to n2";
  equation
    v1 = p1.v - n1.v;
    v2 = p2.v - n2.v;
    i1 = p1.i;
    i2 = p2.i;
    0 = p1.i + n1.i;
    0 = p2.i + n2.i;
    annotation(
      Documentation(info = "<html>
<p>Each pair of pins passes on the current that enters it. What is missing are two equations between the voltages and
currents of the ports.</p>
</html>"));
  end TwoPort;

  partial model Switching "Ideal switching element"
    extends OnePort;
    parameter Units.Resistance Ron(min = 0) = 1e-5 "Resistance when closed";
    parameter Units.Conductance Goff(min = 0) = 1e-5 "Conductance when open";
    Boolean off(start = true) "Is the element open?";
  protected
    Real s(start = 0) "Curve parameter: the voltage when open, the current when closed";
  equation
    v = if off then s else Ron*s;
    i = if off then Goff*s else s;
    annotation(
      Documentation(info = "<html>
<p>The characteristic consists of two straight lines through the origin, one for the open and one for the closed
element. Both are described by one parameter <code>s</code> along the curve, so that no line is infinitely steep and
<code>Ron = 0</code>, <code>Goff = 0</code> are possible. When the element switches is left to the model that extends
this one.</p>
</html>"));
  end Switching;

  partial model VoltageSource "Voltage source with offset and start time"
    extends OnePort;
    parameter Units.Voltage offset = 0 "Voltage before the signal begins";
    parameter Units.Time startTime = 0 "Time at which the signal begins";
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-50, -50}, {50, 50}},
          lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {90, 0}}, color = {0, 0, 190}),
        Line(points = {{-80, 25}, {-60, 25}}, color = {0, 0, 190}),
        Line(points = {{-70, 35}, {-70, 15}}, color = {0, 0, 190}),
        Line(points = {{60, 25}, {80, 25}}, color = {0, 0, 190}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>The voltage is <code>offset</code> until <code>startTime</code>; what extends this gives the equation of
<code>v</code>.</p>
</html>"));
  end VoltageSource;

  partial model CurrentSource "Current source with offset and start time"
    extends OnePort;
    parameter Units.Current offset = 0 "Current before the signal begins";
    parameter Units.Time startTime = 0 "Time at which the signal begins";
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-50, -50}, {50, 50}},
          lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {-50, 0}}, color = {0, 0, 190}),
        Line(points = {{50, 0}, {90, 0}}, color = {0, 0, 190}),
        Line(points = {{0, -50}, {0, 50}}, color = {0, 0, 190}),
        Polygon(points = {{60, 0}, {40, 10}, {40, -10}},
          lineColor = {0, 0, 190}, fillColor = {0, 0, 190}, fillPattern = FillPattern.Solid),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>The current is <code>offset</code> until <code>startTime</code>; what extends this gives the equation of
<code>i</code>.</p>
</html>"));
  end CurrentSource;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{-30, -30}, {30, 30}},
        lineColor = {0, 0, 190}, fillColor = {0, 0, 190}, fillPattern = FillPattern.Solid)}),
    Documentation(info = "<html>
<p>Pins carry a potential and a current, counted positive into the component.</p>
</html>"));
end Interfaces;
