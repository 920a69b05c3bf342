within Kausal.Blocks;
package Math "Mathematical functions"
  block Gain "Product with a constant"
    extends Interfaces.SISO;
    parameter Real k = 1 "Gain";
  equation
    y = k*u;
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "%k", textColor = {0, 0, 127})}));
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
        Text(extent = {{-95, -40}, {-55, -80}}, textString = "%k2", textColor = {0, 0, 127})}));
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
        Text(extent = {{-60, 40}, {60, -40}}, textString = "+", textColor = {0, 0, 127})}));
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
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}));
  end Feedback;

  block Sum "Weighted sum of a vector"
    extends Interfaces.MISO;
    parameter Real k[n] = ones(n) "Weights";
  equation
    y = k*u;
    annotation(
      Icon(graphics = {
        Text(extent = {{-60, 60}, {60, -60}}, textString = "sum", textColor = {0, 0, 127})}));
  end Sum;

  block Product "Product of two signals"
    extends Interfaces.SI2SO;
  equation
    y = u1*u2;
    annotation(
      Icon(graphics = {
        Text(extent = {{-60, 60}, {60, -60}}, textString = "x", textColor = {0, 0, 127})}));
  end Product;

  block Division "Quotient of two signals"
    extends Interfaces.SI2SO;
  equation
    y = u1/u2;
    annotation(
      Icon(graphics = {
        Text(extent = {{-60, 60}, {60, -60}}, textString = "/", textColor = {0, 0, 127})}));
  end Division;

  block Abs "Absolute value"
    extends Interfaces.SISO;
  equation
    y = abs(u);
    annotation(
      Icon(graphics = {
        Line(points = {{-60, 60}, {0, -40}, {60, 60}}, color = {0, 0, 127})}));
  end Abs;

  block Sign "Sign"
    extends Interfaces.SISO;
  equation
    y = sign(u);
    annotation(
      Icon(graphics = {
        Line(points = {{-60, -50}, {0, -50}, {0, 50}, {60, 50}}, color = {0, 0, 127})}));
  end Sign;

  block Sqrt "Square root"
    extends Interfaces.SISO;
  equation
    y = sqrt(u);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "sqrt", textColor = {0, 0, 127})}));
  end Sqrt;

  block Sin "Sine"
    extends Interfaces.SISO(u(unit = "rad"));
  equation
    y = sin(u);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "sin", textColor = {0, 0, 127})}));
  end Sin;

  block Cos "Cosine"
    extends Interfaces.SISO(u(unit = "rad"));
  equation
    y = cos(u);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "cos", textColor = {0, 0, 127})}));
  end Cos;

  block Tan "Tangent"
    extends Interfaces.SISO(u(unit = "rad"));
  equation
    y = tan(u);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "tan", textColor = {0, 0, 127})}));
  end Tan;

  block Asin "Inverse sine"
    extends Interfaces.SISO(y(unit = "rad"));
  equation
    y = asin(u);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "asin", textColor = {0, 0, 127})}));
  end Asin;

  block Acos "Inverse cosine"
    extends Interfaces.SISO(y(unit = "rad"));
  equation
    y = acos(u);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "acos", textColor = {0, 0, 127})}));
  end Acos;

  block Atan "Inverse tangent"
    extends Interfaces.SISO(y(unit = "rad"));
  equation
    y = atan(u);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "atan", textColor = {0, 0, 127})}));
  end Atan;

  block Atan2 "Angle of the point with the coordinates u2, u1"
    extends Interfaces.SI2SO(y(unit = "rad"));
  equation
    y = atan2(u1, u2);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "atan2", textColor = {0, 0, 127})}));
  end Atan2;

  block Exp "Exponential function"
    extends Interfaces.SISO;
  equation
    y = exp(u);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "exp", textColor = {0, 0, 127})}));
  end Exp;

  block Log "Natural logarithm"
    extends Interfaces.SISO;
  equation
    y = log(u);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "log", textColor = {0, 0, 127})}));
  end Log;

  block Max "Larger of two signals"
    extends Interfaces.SI2SO;
  equation
    y = max(u1, u2);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "max", textColor = {0, 0, 127})}));
  end Max;

  block Min "Smaller of two signals"
    extends Interfaces.SI2SO;
  equation
    y = min(u1, u2);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "min", textColor = {0, 0, 127})}));
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
        Line(points = {{-60, -20}, {60, -20}}, color = {0, 0, 127})}));
  end Lookup;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 0, 127}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Text(extent = {{-60, 60}, {60, -60}}, textString = "+", textColor = {0, 0, 127})}));
end Math;
