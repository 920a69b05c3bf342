within Kausal.Blocks;
package Math "Mathematical functions"
  block Gain "Product with a constant"
    extends Interfaces.SISO;
    parameter Real k = 1 "Gain";
  equation
    y = k*u;
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "%k", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p><code>y = k*u</code>.</p>
</html>"));
  end Gain;

  block Add "Weighted sum of two signals"
    extends Interfaces.SI2SO;
    parameter Real k1 = 1 "Weight of the first input";
    parameter Real k2 = 1 "Weight of the second input";
  equation
    y = k1*u1 + k2*u2;
    annotation(
      Icon(graphics = {
        Text(extent = {{-60, 40}, {60, -40}}, textString = "+", textColor = {0, 0, 127}),
        Text(extent = {{-95, 80}, {-55, 40}}, textString = "%k1", textColor = {0, 0, 127}),
        Text(extent = {{-95, -40}, {-55, -80}}, textString = "%k2", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p><code>y = k1*u1 + k2*u2</code>.</p>
</html>"));
  end Add;

  block Add3 "Weighted sum of three signals"
    extends Interfaces.Block;
    parameter Real k1 = 1 "Weight of the first input";
    parameter Real k2 = 1 "Weight of the second input";
    parameter Real k3 = 1 "Weight of the third input";
    Interfaces.RealInput u1 "First input"
      annotation(Placement(transformation(extent = {{-120, 70}, {-100, 90}})));
    Interfaces.RealInput u2 "Second input"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
    Interfaces.RealInput u3 "Third input"
      annotation(Placement(transformation(extent = {{-120, -90}, {-100, -70}})));
    Interfaces.RealOutput y "Output"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
  equation
    y = k1*u1 + k2*u2 + k3*u3;
    annotation(
      Icon(graphics = {
        Text(extent = {{-60, 40}, {60, -40}}, textString = "+", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p><code>y = k1*u1 + k2*u2 + k3*u3</code>.</p>
</html>"));
  end Add3;

  block Feedback "Difference of two signals"
    Interfaces.RealInput u1 "Positive input"
      annotation(Placement(transformation(extent = {{-90, -10}, {-70, 10}})));
    Interfaces.RealInput u2 "Negative input"
      annotation(Placement(transformation(extent = {{-10, -90}, {10, -70}})));
    Interfaces.RealOutput y "u1 - u2"
      annotation(Placement(transformation(extent = {{80, -10}, {100, 10}})));
  equation
    y = u1 - u2;
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-30, -30}, {30, 30}},
          lineColor = {0, 0, 127}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-70, 0}, {-30, 0}}, color = {0, 0, 127}),
        Line(points = {{30, 0}, {80, 0}}, color = {0, 0, 127}),
        Line(points = {{0, -30}, {0, -70}}, color = {0, 0, 127}),
        Text(extent = {{10, -40}, {40, -70}}, textString = "-", textColor = {0, 0, 127}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>The first input minus the second: the error of a control loop.</p>
</html>"));
  end Feedback;

  block Sum "Weighted sum of a vector"
    extends Interfaces.MISO;
    parameter Real k[n] = ones(n) "Weights";
  equation
    y = k*u;
    annotation(
      Icon(graphics = {
        Text(extent = {{-60, 60}, {60, -60}}, textString = "sum", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>The scalar product of the inputs and the vector of weights.</p>
</html>"));
  end Sum;

  block Product "Product of two signals"
    extends Interfaces.SI2SO;
  equation
    y = u1*u2;
    annotation(
      Icon(graphics = {
        Text(extent = {{-60, 60}, {60, -60}}, textString = "x", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p><code>y = u1*u2</code>.</p>
</html>"));
  end Product;

  block Division "Quotient of two signals"
    extends Interfaces.SI2SO;
  equation
    y = u1/u2;
    annotation(
      Icon(graphics = {
        Text(extent = {{-60, 60}, {60, -60}}, textString = "/", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p><code>y = u1/u2</code>. The second input must not become zero.</p>
</html>"));
  end Division;

  block Abs "Absolute value"
    extends Interfaces.SISO;
  equation
    y = abs(u);
    annotation(
      Icon(graphics = {
        Line(points = {{-60, 60}, {0, -40}, {60, 60}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p><code>y = abs(u)</code>.</p>
</html>"));
  end Abs;

  block Sign "Sign"
    extends Interfaces.SISO;
  equation
    y = sign(u);
    annotation(
      Icon(graphics = {
        Line(points = {{-60, -50}, {0, -50}, {0, 50}, {60, 50}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>1, 0 or -1: the sign of the input.</p>
</html>"));
  end Sign;

  block Sqrt "Square root"
    extends Interfaces.SISO;
  equation
    y = sqrt(u);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "sqrt", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p><code>y = sqrt(u)</code>. The input must not be negative.</p>
</html>"));
  end Sqrt;

  block Sin "Sine"
    extends Interfaces.SISO(u(unit = "rad"));
  equation
    y = sin(u);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "sin", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p><code>y = sin(u)</code>.</p>
</html>"));
  end Sin;

  block Cos "Cosine"
    extends Interfaces.SISO(u(unit = "rad"));
  equation
    y = cos(u);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "cos", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p><code>y = cos(u)</code>.</p>
</html>"));
  end Cos;

  block Tan "Tangent"
    extends Interfaces.SISO(u(unit = "rad"));
  equation
    y = tan(u);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "tan", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p><code>y = tan(u)</code>.</p>
</html>"));
  end Tan;

  block Asin "Inverse sine"
    extends Interfaces.SISO(y(unit = "rad"));
  equation
    y = asin(u);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "asin", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p><code>y = asin(u)</code>, for inputs from -1 to 1.</p>
</html>"));
  end Asin;

  block Acos "Inverse cosine"
    extends Interfaces.SISO(y(unit = "rad"));
  equation
    y = acos(u);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "acos", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p><code>y = acos(u)</code>, for inputs from -1 to 1.</p>
</html>"));
  end Acos;

  block Atan "Inverse tangent"
    extends Interfaces.SISO(y(unit = "rad"));
  equation
    y = atan(u);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "atan", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p><code>y = atan(u)</code>.</p>
</html>"));
  end Atan;

  block Atan2 "Angle of the point with the coordinates u2, u1"
    extends Interfaces.SI2SO(y(unit = "rad"));
  equation
    y = atan2(u1, u2);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "atan2", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>The angle of the point with the coordinates <code>u2</code> and <code>u1</code>, in all four quadrants.</p>
</html>"));
  end Atan2;

  block Exp "Exponential function"
    extends Interfaces.SISO;
  equation
    y = exp(u);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "exp", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p><code>y = exp(u)</code>.</p>
</html>"));
  end Exp;

  block Log "Natural logarithm"
    extends Interfaces.SISO;
  equation
    y = log(u);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "log", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p><code>y = log(u)</code>, the natural logarithm of a positive input.</p>
</html>"));
  end Log;

  block Max "Larger of two signals"
    extends Interfaces.SI2SO;
  equation
    y = max(u1, u2);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "max", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>The larger of two inputs.</p>
</html>"));
  end Max;

  block Min "Smaller of two signals"
    extends Interfaces.SI2SO;
  equation
    y = min(u1, u2);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "min", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>The smaller of two inputs.</p>
</html>"));
  end Min;

  block Lookup "Linear interpolation in a table"
    extends Interfaces.SISO;
    parameter Real table[:, 2] = [0, 0; 1, 1] "Abscissa and ordinate in each row, abscissas increasing";
  equation
    y = Functions.interpolate(table[:, 1], table[:, 2], u);
    annotation(
      Icon(graphics = {
        Rectangle(extent = {{-60, -60}, {60, 60}},
          lineColor = {0, 0, 127}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{0, -60}, {0, 60}}, color = {0, 0, 127}),
        Line(points = {{-60, 20}, {60, 20}}, color = {0, 0, 127}),
        Line(points = {{-60, -20}, {60, -20}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>A characteristic given by points; linear between them.</p>
</html>"));
  end Lookup;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 0, 127}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Text(extent = {{-60, 60}, {60, -60}}, textString = "+", textColor = {0, 0, 127})}),
    Documentation(info = "<html>
<p>Blocks without memory: outputs are functions of the inputs at the same instant.</p>
</html>"));
end Math;
