within Kausal.Blocks;
package Nonlinear "Limits and other nonlinearities"
  block Limiter "Limits a signal to a range"
    extends Interfaces.SISO;
    parameter Real uMax = 1 "Upper limit";
    parameter Real uMin = -uMax "Lower limit";
  equation
    y = smooth(0, if u > uMax then uMax else if u < uMin then uMin else u);
    annotation(
      Icon(graphics = {
        Line(points = {{-80, -60}, {-40, -60}, {40, 60}, {80, 60}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>The input, as long as it is between the limits, else the nearer limit.</p>
</html>"));
  end Limiter;

  block VariableLimiter "Limits a signal to a range given by signals"
    extends Interfaces.SISO;
    Interfaces.RealInput uMax "Upper limit"
      annotation(Placement(transformation(extent = {{-120, 70}, {-100, 90}})));
    Interfaces.RealInput uMin "Lower limit"
      annotation(Placement(transformation(extent = {{-120, -90}, {-100, -70}})));
  equation
    y = smooth(0, if u > uMax then uMax else if u < uMin then uMin else u);
    annotation(
      Icon(graphics = {
        Line(points = {{-60, -60}, {-40, -60}, {40, 60}, {80, 60}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>Like <code>Limiter</code>, with limits that are signals.</p>
</html>"));
  end VariableLimiter;

  block DeadZone "No output for small inputs"
    extends Interfaces.SISO;
    parameter Real uMax = 1 "Upper end of the dead zone";
    parameter Real uMin = -uMax "Lower end of the dead zone";
  equation
    y = smooth(0, if u > uMax then u - uMax else if u < uMin then u - uMin else 0);
    annotation(
      Icon(graphics = {
        Line(points = {{-80, -60}, {-30, 0}, {30, 0}, {80, 60}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>Zero while the input is within the zone; outside of it, how far it is from the nearer end.</p>
</html>"));
  end DeadZone;

  block RateLimiter "Limits the rate of change of a signal"
    extends Interfaces.SISO(y(start = y_start, fixed = true));
    parameter Real rising(min = 0) = 1 "Largest rate";
    parameter Real falling(max = 0) = -rising "Smallest rate";
    parameter Units.Time T(min = Constants.small) = 1e-3 "Time constant with which the output follows the input";
    parameter Real y_start = 0 "Initial output";
  equation
    der(y) = smooth(0, if u - y > rising*T then rising else if u - y < falling*T then falling else (u - y)/T);
    annotation(
      Icon(graphics = {
        Line(points = {{-80, -60}, {-40, -60}, {40, 60}, {80, 60}}, color = {0, 0, 127}),
        Line(points = {{-40, -60}, {-40, 60}, {80, 60}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>Follows the input, but not faster than the limits allow. <code>T</code> is the time constant with which a small
difference vanishes.</p>
</html>"));
  end RateLimiter;

  block Hysteresis "Two-valued output with hysteresis"
    extends Interfaces.SISO;
    parameter Real uHigh = 1 "Above this input the output is yOn";
    parameter Real uLow = -uHigh "Below this input the output is yOff";
    parameter Real yOn = 1 "Output when on";
    parameter Real yOff = -yOn "Output when off";
    parameter Boolean startOn = false "Is the output on in the beginning, between the two limits?";
    Boolean on "Is the output on?";
  initial equation
    pre(on) = startOn;
  equation
    on = u > uHigh or pre(on) and u >= uLow;
    y = if on then yOn else yOff;
    annotation(
      Icon(graphics = {
        Line(points = {{-80, -60}, {40, -60}, {40, 60}}, color = {0, 0, 127}),
        Line(points = {{80, 60}, {-40, 60}, {-40, -60}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>Two output values; which of them depends on which limit was passed last.</p>
</html>"));
  end Hysteresis;

  block Backlash "Play between input and output"
    extends Interfaces.SISO(y(start = y_start, fixed = true));
    parameter Real b(min = 0) = 1 "Width of the play";
    parameter Units.Time T(min = Constants.small) = 1e-3 "Time constant with which the output is carried along";
    parameter Real y_start = 0 "Initial output";
  equation
    T*der(y) = smooth(0, if u - y > b/2 then u - y - b/2 else if u - y < -b/2 then u - y + b/2 else 0);
    annotation(
      Icon(graphics = {
        Line(points = {{-60, -60}, {20, 60}, {60, 60}, {-20, -60}, {-60, -60}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>Mechanical play: the output moves only while the input pushes it at one end.</p>
</html>"));
  end Backlash;

  block FixedDelay "Dead time"
    extends Interfaces.SISO;
    parameter Units.Time T(min = 0) = 1 "Dead time";
  equation
    y = delay(u, T);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "e^-sT", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>The input as it was <code>delayTime</code> ago.</p>
</html>"));
  end FixedDelay;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 0, 127}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-80, -60}, {-40, -60}, {40, 60}, {80, 60}}, color = {0, 0, 127})}),
    Documentation(info = "<html>
<p>Limits, dead zones, play and delays.</p>
</html>"));
end Nonlinear;
