within Kausal.Electrical;
package Sources "Voltage and current sources"
  model ConstantVoltage "Constant voltage"
    extends Interfaces.OnePort;
    parameter Units.Voltage V = 1 "Voltage";
  equation
    v = V;
    annotation(
      Icon(graphics = {
        Line(points = {{-90, 0}, {-10, 0}}, color = {0, 0, 190}),
        Line(points = {{10, 0}, {90, 0}}, color = {0, 0, 190}),
        Line(points = {{-10, 60}, {-10, -60}}, color = {0, 0, 190}),
        Line(points = {{10, 30}, {10, -30}}, color = {0, 0, 190}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
        Text(extent = {{-150, -110}, {150, -140}}, textString = "V=%V")}),
      Documentation(info = "<html>
<p>The same voltage whatever the current.</p>
</html>"));
  end ConstantVoltage;

  model StepVoltage "Voltage that jumps"
    extends Interfaces.VoltageSource;
    parameter Units.Voltage V = 1 "Height of the step";
  equation
    v = offset + (if time < startTime then 0 else V);
    annotation(
      Icon(graphics = {
        Line(points = {{-30, -70}, {0, -70}, {0, -90}, {30, -90}}, color = {0, 0, 190})}),
      Documentation(info = "<html>
<p>Jumps once, at <code>startTime</code>.</p>
</html>"));
  end StepVoltage;

  model RampVoltage "Voltage that rises to a new value"
    extends Interfaces.VoltageSource;
    parameter Units.Voltage V = 1 "Height of the ramp";
    parameter Units.Time duration(min = Constants.small) = 1 "Duration of the ramp";
  equation
    v = offset + (if time < startTime then 0 else if time < startTime + duration then
      V*(time - startTime)/duration else V);
    annotation(
      Icon(graphics = {
        Line(points = {{-30, -90}, {-10, -90}, {10, -70}, {30, -70}}, color = {0, 0, 190})}),
      Documentation(info = "<html>
<p>Grows linearly within <code>duration</code>.</p>
</html>"));
  end RampVoltage;

  model SineVoltage "Sinusoidal voltage"
    extends Interfaces.VoltageSource;
    parameter Units.Voltage V = 1 "Amplitude";
    parameter Units.Frequency f = 1 "Frequency";
    parameter Units.Angle phase = 0 "Phase at the start time";
  equation
    v = offset + (if time < startTime then 0 else V*sin(2*Constants.pi*f*(time - startTime) + phase));
    annotation(
      Icon(graphics = {
        Line(points = {{-30, -80}, {-15, -60}, {0, -80}, {15, -100}, {30, -80}},
          color = {0, 0, 190}, smooth = Smooth.Bezier)}),
      Documentation(info = "<html>
<p><code>v = offset + V*sin(2*pi*f*(time - startTime) + phase)</code>.</p>
</html>"));
  end SineVoltage;

  model PulseVoltage "Rectangular pulses"
    extends Interfaces.VoltageSource;
    parameter Units.Voltage V = 1 "Height of the pulses";
    parameter Real width(min = 0, max = 1) = 0.5 "Part of the period for which the pulse lasts";
    parameter Units.Time period(min = Constants.small) = 1 "Period";
  protected
    Units.Time begin(start = startTime) "Begin of the present period";
  initial equation
    // The simulation may begin several periods behind startTime.
    pre(begin) = startTime + period*noEvent(max(0, floor((time - startTime)/period)));
  equation
    when sample(startTime, period) then
      begin = time;
    end when;
    v = offset + (if time < startTime or time >= begin + width*period then 0 else V);
    annotation(
      Icon(graphics = {
        Line(points = {{-30, -90}, {-20, -90}, {-20, -70}, {0, -70}, {0, -90}, {20, -90}, {20, -70}, {30, -70}},
          color = {0, 0, 190})}),
      Documentation(info = "<html>
<p>Rectangular pulses, each of them an event at its begin and at its end.</p>
</html>"));
  end PulseVoltage;

  model SignalVoltage "Voltage given by a signal"
    extends Interfaces.OnePort;
    Blocks.Interfaces.RealInput u(unit = "V") "Voltage from p to n"
      annotation(Placement(transformation(extent = {{-10, 100}, {10, 120}})));
  equation
    v = u;
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-50, -50}, {50, 50}},
          lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {90, 0}}, color = {0, 0, 190}),
        Line(points = {{0, 90}, {0, 50}}, color = {0, 0, 190}),
        Line(points = {{-80, 25}, {-60, 25}}, color = {0, 0, 190}),
        Line(points = {{-70, 35}, {-70, 15}}, color = {0, 0, 190}),
        Line(points = {{60, 25}, {80, 25}}, color = {0, 0, 190}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>The voltage is a signal: an amplifier without limits.</p>
</html>"));
  end SignalVoltage;

  model ConstantCurrent "Constant current"
    extends Interfaces.OnePort;
    parameter Units.Current I = 1 "Current";
  equation
    i = I;
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-50, -50}, {50, 50}},
          lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {-50, 0}}, color = {0, 0, 190}),
        Line(points = {{50, 0}, {90, 0}}, color = {0, 0, 190}),
        Line(points = {{0, -50}, {0, 50}}, color = {0, 0, 190}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255}),
        Text(extent = {{-150, -110}, {150, -140}}, textString = "I=%I")}),
      Documentation(info = "<html>
<p>The same current whatever the voltage.</p>
</html>"));
  end ConstantCurrent;

  model StepCurrent "Current that jumps"
    extends Interfaces.CurrentSource;
    parameter Units.Current I = 1 "Height of the step";
  equation
    i = offset + (if time < startTime then 0 else I);
    annotation(
      Icon(graphics = {
        Line(points = {{-30, -70}, {0, -70}, {0, -90}, {30, -90}}, color = {0, 0, 190})}),
      Documentation(info = "<html>
<p>Jumps once, at <code>startTime</code>.</p>
</html>"));
  end StepCurrent;

  model SineCurrent "Sinusoidal current"
    extends Interfaces.CurrentSource;
    parameter Units.Current I = 1 "Amplitude";
    parameter Units.Frequency f = 1 "Frequency";
    parameter Units.Angle phase = 0 "Phase at the start time";
  equation
    i = offset + (if time < startTime then 0 else I*sin(2*Constants.pi*f*(time - startTime) + phase));
    annotation(
      Icon(graphics = {
        Line(points = {{-30, -80}, {-15, -60}, {0, -80}, {15, -100}, {30, -80}},
          color = {0, 0, 190}, smooth = Smooth.Bezier)}),
      Documentation(info = "<html>
<p><code>i = offset + I*sin(2*pi*f*(time - startTime) + phase)</code>.</p>
</html>"));
  end SineCurrent;

  model SignalCurrent "Current given by a signal"
    extends Interfaces.OnePort;
    Blocks.Interfaces.RealInput u(unit = "A") "Current from p to n through the source"
      annotation(Placement(transformation(extent = {{-10, 100}, {10, 120}})));
  equation
    i = u;
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-50, -50}, {50, 50}},
          lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {-50, 0}}, color = {0, 0, 190}),
        Line(points = {{50, 0}, {90, 0}}, color = {0, 0, 190}),
        Line(points = {{0, -50}, {0, 90}}, color = {0, 0, 190}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>The current is a signal.</p>
</html>"));
  end SignalCurrent;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Ellipse(extent = {{-40, -40}, {40, 40}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid)}),
    Documentation(info = "<html>
<p>Sources of voltage and of current.</p>
</html>"));
end Sources;
