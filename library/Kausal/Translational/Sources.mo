within Kausal.Translational;
package Sources "Forces and prescribed motions"
  model Force "Force given by a signal"
    extends Interfaces.Driven;
    Blocks.Interfaces.RealInput f(unit = "N") "Force on the flange"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
  equation
    flange.f = -f;
    annotation(
      Icon(graphics = {
        Polygon(points = {{-80, 15}, {30, 15}, {30, 40}, {90, 0}, {30, -40}, {30, -15}, {-80, -15}},
          lineColor = {0, 110, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>A force that is a signal.</p>
</html>"));
  end Force;

  model ConstantForce "Constant force"
    extends Interfaces.Driven;
    parameter Units.Force f = 1 "Force on the flange";
  equation
    flange.f = -f;
    annotation(
      Icon(graphics = {
        Polygon(points = {{-80, 15}, {30, 15}, {30, 40}, {90, 0}, {30, -40}, {30, -15}, {-80, -15}},
          lineColor = {0, 110, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
        Text(extent = {{-150, -110}, {150, -140}}, textString = "f=%f")}),
      Documentation(info = "<html>
<p>The same force whatever the speed.</p>
</html>"));
  end ConstantForce;

  model Position "Position given by a signal"
    extends Interfaces.Driven;
    Blocks.Interfaces.RealInput s(unit = "m") "Position of the flange"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
  equation
    flange.s = s;
    annotation(
      Icon(graphics = {
        Line(points = {{-100, 0}, {90, 0}}, color = {0, 110, 0}),
        Rectangle(extent = {{-40, -40}, {40, 40}},
          lineColor = {0, 110, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Text(extent = {{-30, 30}, {30, -30}}, textString = "s", textColor = {0, 110, 0}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Prescribes the position; the force is whatever that takes.</p>
</html>"));
  end Position;

  model Speed "Velocity given by a signal"
    extends Interfaces.Driven;
    Blocks.Interfaces.RealInput v(unit = "m/s") "Velocity of the flange"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
    parameter Units.Position s_start = 0 "Initial position";
    Units.Position s(start = s_start, fixed = true) "Position of the flange";
  equation
    s = flange.s;
    der(s) = v;
    annotation(
      Icon(graphics = {
        Line(points = {{-100, 0}, {90, 0}}, color = {0, 110, 0}),
        Rectangle(extent = {{-40, -40}, {40, 40}},
          lineColor = {0, 110, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Text(extent = {{-30, 30}, {30, -30}}, textString = "v", textColor = {0, 110, 0}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Prescribes the speed; the force is whatever that takes.</p>
</html>"));
  end Speed;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 110, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Polygon(points = {{-80, 15}, {30, 15}, {30, 40}, {90, 0}, {30, -40}, {30, -15}, {-80, -15}},
        lineColor = {0, 110, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid)}),
    Documentation(info = "<html>
<p>Forces and prescribed motions.</p>
</html>"));
end Sources;
