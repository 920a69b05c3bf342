within Kausal.BondGraph;
package Interfaces "Connectors and partial models"
  connector Bond "End of a bond"
    Real e "Effort";
    flow Real f "Flow into the component";
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-100, -100}, {100, 100}},
          lineColor = {110, 0, 130}, fillColor = {110, 0, 130}, fillPattern = FillPattern.Solid)}),
      Documentation(info = "<html>
<p>A bond carries an effort and a flow, whose product is the power that enters the element. Where bonds are connected,
efforts are equal and flows add up to zero.</p>
</html>"));
  end Bond;

  partial model OnePort "Element with one bond, half arrow towards the element"
    Bond p "Port"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Real e "Effort";
    Real f "Flow into the element";
  equation
    e = p.e;
    f = p.f;
    annotation(
      Icon(graphics = {
        Line(points = {{-90, 0}, {-40, 0}}, color = {110, 0, 130}),
        Line(points = {{-40, 0}, {-55, 20}}, color = {110, 0, 130}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p><code>e</code> and <code>f</code> are effort and flow of the bond, positive when power enters. What is missing is
one equation between them.</p>
</html>"));
  end OnePort;

  partial model Source "Source with one bond, half arrow away from the source"
    Bond p "Port"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    Real e "Effort";
    Real f "Flow out of the source";
  equation
    e = p.e;
    f = -p.f;
    annotation(
      Icon(graphics = {
        Line(points = {{40, 0}, {90, 0}}, color = {110, 0, 130}),
        Line(points = {{90, 0}, {75, 20}}, color = {110, 0, 130}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p><code>e</code> and <code>f</code> are effort and flow of the bond, the flow positive when power leaves. What is
missing is one equation.</p>
</html>"));
  end Source;

  partial model TwoPort "Element with two bonds, half arrows from a to b"
    Bond a "Port where positive power enters"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Bond b "Port where positive power leaves"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    Real e1 "Effort at a";
    Real f1 "Flow into a";
    Real e2 "Effort at b";
    Real f2 "Flow out of b";
  equation
    e1 = a.e;
    f1 = a.f;
    e2 = b.e;
    f2 = -b.f;
    annotation(
      Icon(graphics = {
        Line(points = {{-90, 0}, {-45, 0}}, color = {110, 0, 130}),
        Line(points = {{-45, 0}, {-60, 20}}, color = {110, 0, 130}),
        Line(points = {{45, 0}, {90, 0}}, color = {110, 0, 130}),
        Line(points = {{90, 0}, {75, 20}}, color = {110, 0, 130}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Positive power enters at <code>a</code> and leaves at <code>b</code>. What is missing are two equations; without
losses they keep <code>e1*f1 = e2*f2</code>.</p>
</html>"));
  end TwoPort;

  partial model Junction "Junction of any number of bonds"
    parameter Integer n(min = 1) = 3 "Number of bonds" annotation(Evaluate = true);
    parameter Integer direction[n] = cat(1, {1}, fill(-1, n - 1))
      "1: the half arrow points to the junction, -1: away from it" annotation(Evaluate = true);
    Bond p[n] "Ports"
      annotation(Placement(transformation(extent = {{-10, -10}, {10, 10}})));
    annotation(
      Documentation(info = "<html>
<p>Joins <code>n</code> bonds. Positive power comes in through those with <code>direction</code> 1 and goes out
through those with -1; none is stored or lost.</p>
</html>"));
  end Junction;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {110, 0, 130}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Ellipse(extent = {{-30, -30}, {30, 30}},
        lineColor = {110, 0, 130}, fillColor = {110, 0, 130}, fillPattern = FillPattern.Solid)}),
    Documentation(info = "<html>
<p>A bond carries an effort and a flow, whose product is power.</p>
</html>"));
end Interfaces;
