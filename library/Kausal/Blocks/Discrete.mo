within Kausal.Blocks;
package Discrete "Sampled systems"
  block Sampler "Samples a signal, with the resolution of a converter"
    extends Interfaces.SampledSISO;
    parameter Real quantum(min = 0) = 0 "Step between two values of the output; 0: infinitely fine";
  equation
    when {sampling, initial()} then
      y = if quantum > 0 then quantum*floor(u/quantum + 0.5) else u;
    end when;
    annotation(
      Icon(graphics = {
        Line(points = {{-80, 0}, {-30, 0}}, color = {0, 0, 127}),
        Line(points = {{-30, 0}, {30, 40}}, color = {0, 0, 127}),
        Line(points = {{30, 0}, {80, 0}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>The input at the sample instants, rounded to multiples of <code>quantum</code> as an analog-to-digital converter
does.</p>
</html>"));
  end Sampler;

  block ZeroOrderHold "Holds the value from the last sample instant"
    extends Interfaces.SampledSISO;
  protected
    discrete Real held "Value at the last sample instant";
  equation
    when {sampling, initial()} then
      held = u;
    end when;
    y = held;
    annotation(
      Icon(graphics = {
        Line(points = {{-80, -40}, {-40, -40}, {-40, 20}, {0, 20}, {0, 60}, {40, 60}, {40, 0}, {80, 0}},
          color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>The output is the input at the last sample instant, as a digital-to-analog converter gives it.</p>
</html>"));
  end ZeroOrderHold;

  block UnitDelay "Delays a signal by one sample period"
    extends Interfaces.SampledSISO;
    parameter Real y_start = 0 "Initial output";
  protected
    discrete Real last(start = y_start, fixed = true) "Input at the last sample instant";
    discrete Real out(start = y_start, fixed = true) "Input at the sample instant before";
  equation
    when sampling then
      last = u;
      out = pre(last);
    end when;
    y = out;
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 80}, {80, 0}}, textString = "1", textColor = {0, 0, 127}),
        Line(points = {{-40, 0}, {40, 0}}, color = {0, 0, 127}),
        Text(extent = {{-80, 0}, {80, -80}}, textString = "z", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>The output is the input one sample period ago: the transfer function is <code>1/z</code>.</p>
</html>"));
  end UnitDelay;

  block TriggeredSampler "Samples a signal when a trigger becomes true"
    extends Interfaces.Block;
    parameter Real y_start = 0 "Initial output";
    Interfaces.RealInput u "Input"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
    Interfaces.BooleanInput trigger "Trigger"
      annotation(Placement(transformation(extent = {{-10, -120}, {10, -100}})));
    Interfaces.RealOutput y "Output"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
  protected
    discrete Real held(start = y_start, fixed = true) "Value at the last trigger";
  equation
    when trigger then
      held = u;
    end when;
    y = held;
    annotation(
      Icon(graphics = {
        Line(points = {{-80, 0}, {-30, 0}}, color = {0, 0, 127}),
        Line(points = {{-30, 0}, {30, 40}}, color = {0, 0, 127}),
        Line(points = {{30, 0}, {80, 0}}, color = {0, 0, 127}),
        Line(points = {{0, -90}, {0, 20}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>Each time <code>trigger</code> becomes true, the output takes the value of the input and keeps it.</p>
</html>"));
  end TriggeredSampler;

  block TransferFunction "Linear transfer function of a sampled system"
    extends Interfaces.SampledSISO;
    parameter Real b[:] = {1} "Coefficients of the numerator, highest power of z first";
    parameter Real a[:] = {1, 0} "Coefficients of the denominator, highest power of z first";
  protected
    final parameter Integer n = size(a, 1) - 1 "Order";
    parameter Real bs[n + 1] = cat(1, zeros(n + 1 - size(b, 1)), b)
      "Numerator, filled up to the length of the denominator";
    discrete Real x[n](each start = 0, each fixed = true) "State";
    discrete Real first(start = 0, fixed = true) "New first element of the state";
    discrete Real out(start = 0, fixed = true) "Output at the last sample instant";
  equation
    assert(n >= 1, "A sampled transfer function needs a denominator with at least two coefficients.");
    assert(size(b, 1) <= size(a, 1), "The transfer function has a numerator of higher degree than its denominator.");
    when sampling then
      first = (u - a[2:n + 1]*pre(x))/a[1];
      x = cat(1, {first}, pre(x[1:n - 1]));
      out = bs[1]*first + bs[2:n + 1]*pre(x);
    end when;
    y = out;
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 80}, {80, 0}}, textString = "b(z)", textColor = {0, 0, 127}),
        Line(points = {{-60, 0}, {60, 0}}, color = {0, 0, 127}),
        Text(extent = {{-80, 0}, {80, -80}}, textString = "a(z)", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>The quotient of two polynomials in <code>z</code>. The denominator must be of at least as high a degree as the
numerator.</p>
</html>"));
  end TransferFunction;

  block PI "Sampled proportional and integral controller"
    extends Interfaces.SampledSISO;
    parameter Real k = 1 "Gain";
    parameter Units.Time T(min = Constants.small) = 1 "Integral time";
    parameter Real yMax = Constants.inf "Upper limit of the output";
    parameter Real yMin = -yMax "Lower limit of the output";
  protected
    discrete Real x(start = 0, fixed = true) "Integral part";
    discrete Real out(start = 0, fixed = true) "Output at the last sample instant";
  equation
    when sampling then
      out = max(yMin, min(yMax, k*u + pre(x)));
      x = if out > yMin and out < yMax then pre(x) + k*samplePeriod/T*u else pre(x);
    end when;
    y = out;
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "PI", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>The integral part is frozen while the output is at one of its limits.</p>
</html>"));
  end PI;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 0, 127}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-60, -60}, {-60, -20}, {-20, -20}, {-20, 20}, {20, 20}, {20, 60}, {60, 60}},
        color = {0, 0, 127})}),
    Documentation(info = "<html>
<p>Blocks that do something at sample instants only. Between these their outputs are constant.</p>
</html>"));
end Discrete;
