within Kausal.Blocks;
package Sources "Signal sources"
  block Constant "Constant signal"
    extends Interfaces.Source;
    parameter Real k = 1 "The value";
  equation
    y = k;
    annotation(
      Icon(graphics = {
        Line(points = {{-80, 0}, {80, 0}}, color = {0, 0, 127}),
        Text(extent = {{-150, -110}, {150, -140}}, textString = "k=%k")}),
      Documentation(info = "<html>
<p>The same number at all times.</p>
</html>"));
  end Constant;

  block Clock "The time"
    extends Interfaces.SignalSource;
  equation
    y = offset + (if time < startTime then 0 else time - startTime);
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-60, -60}, {60, 60}},
          lineColor = {0, 0, 127}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{0, 0}, {0, 50}}, color = {0, 0, 127}),
        Line(points = {{0, 0}, {30, 10}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>The time since <code>startTime</code>.</p>
</html>"));
  end Clock;

  block Step "Step"
    extends Interfaces.SignalSource;
    parameter Real height = 1 "Height of the step";
  equation
    y = offset + (if time < startTime then 0 else height);
    annotation(
      Icon(graphics = {
        Line(points = {{-80, -60}, {0, -60}, {0, 60}, {80, 60}}, color = {0, 0, 127}),
        Text(extent = {{-150, -110}, {150, -140}}, textString = "height=%height")}),
      Documentation(info = "<html>
<p>Jumps once, by <code>height</code> at <code>startTime</code>.</p>
</html>"));
  end Step;

  block Ramp "Ramp"
    extends Interfaces.SignalSource;
    parameter Real height = 1 "Height of the ramp";
    parameter Units.Time duration(min = Constants.small) = 1 "Duration of the ramp";
  equation
    y = offset + (if time < startTime then 0 else if time < startTime + duration then
      height*(time - startTime)/duration else height);
    annotation(
      Icon(graphics = {
        Line(points = {{-80, -60}, {-40, -60}, {40, 60}, {80, 60}}, color = {0, 0, 127}),
        Text(extent = {{-150, -110}, {150, -140}}, textString = "height=%height")}),
      Documentation(info = "<html>
<p>Grows linearly by <code>height</code> within <code>duration</code> and stays there.</p>
</html>"));
  end Ramp;

  block Sine "Sinusoidal signal"
    extends Interfaces.SignalSource;
    parameter Real amplitude = 1 "Amplitude";
    parameter Units.Frequency f = 1 "Frequency";
    parameter Units.Angle phase = 0 "Phase at the start time";
  equation
    y = offset + (if time < startTime then 0 else amplitude*sin(2*Constants.pi*f*(time - startTime) + phase));
    annotation(
      Icon(graphics = {
        Line(points = {{-80, 0}, {-40, 70}, {0, 0}, {40, -70}, {80, 0}},
          color = {0, 0, 127}, smooth = Smooth.Bezier),
        Text(extent = {{-150, -110}, {150, -140}}, textString = "f=%f")}),
      Documentation(info = "<html>
<p><code>y = offset + amplitude*sin(2*pi*f*(time - startTime) + phase)</code>.</p>
</html>"));
  end Sine;

  block Pulse "Rectangular pulses"
    extends Interfaces.SignalSource;
    parameter Real amplitude = 1 "Height of the pulses";
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
    y = offset + (if time < startTime or time >= begin + width*period then 0 else amplitude);
    annotation(
      Icon(graphics = {
        Line(points = {{-80, -60}, {-50, -60}, {-50, 60}, {0, 60}, {0, -60}, {50, -60}, {50, 60}, {80, 60}},
          color = {0, 0, 127}),
        Text(extent = {{-150, -110}, {150, -140}}, textString = "period=%period")}),
      Documentation(info = "<html>
<p>Rectangular pulses, each of them an event at its begin and at its end.</p>
</html>"));
  end Pulse;

  block SawTooth "Saw tooth signal"
    extends Interfaces.SignalSource;
    parameter Real amplitude = 1 "Height of the teeth";
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
    y = offset + (if time < startTime then 0 else amplitude*(time - begin)/period);
    annotation(
      Icon(graphics = {
        Line(points = {{-80, -60}, {-40, -60}, {20, 60}, {20, -60}, {80, 60}}, color = {0, 0, 127}),
        Text(extent = {{-150, -110}, {150, -140}}, textString = "period=%period")}),
      Documentation(info = "<html>
<p>Grows linearly and falls back at the end of each period.</p>
</html>"));
  end SawTooth;

  block ExpSine "Damped sinusoidal signal"
    extends Interfaces.SignalSource;
    parameter Real amplitude = 1 "Amplitude at the start time";
    parameter Units.Frequency f = 1 "Frequency";
    parameter Units.Angle phase = 0 "Phase at the start time";
    parameter Real damping(unit = "1/s") = 1 "Rate of decay";
  equation
    y = offset + (if time < startTime then 0 else
      amplitude*exp(-damping*(time - startTime))*sin(2*Constants.pi*f*(time - startTime) + phase));
    annotation(
      Icon(graphics = {
        Line(points = {{-80, 0}, {-60, 80}, {-30, 0}, {-10, -50}, {10, 0}, {30, 30}, {50, 0}, {80, 0}},
          color = {0, 0, 127}, smooth = Smooth.Bezier),
        Text(extent = {{-150, -110}, {150, -140}}, textString = "f=%f")}),
      Documentation(info = "<html>
<p>A sine whose amplitude decays exponentially.</p>
</html>"));
  end ExpSine;

  block TimeTable "Linear interpolation in a table over the time"
    extends Interfaces.SignalSource;
    parameter Real table[:, 2] = [0, 0; 1, 1] "Time and value in each row, times increasing";
  equation
    y = offset + Functions.interpolate(table[:, 1], table[:, 2], time - startTime);
    annotation(
      Icon(graphics = {
        Rectangle(extent = {{-60, -60}, {60, 60}},
          lineColor = {0, 0, 127}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{0, -60}, {0, 60}}, color = {0, 0, 127}),
        Line(points = {{-60, 20}, {60, 20}}, color = {0, 0, 127}),
        Line(points = {{-60, -20}, {60, -20}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>Before the first and behind the last row of the table the first or last value is held. The kinks do not generate
events.</p>
</html>"));
  end TimeTable;

  block PointToPoint "Reference motion of several axes from one position to another"
    extends Interfaces.Block;
    parameter Integer n(min = 1) = size(q_end, 1) "Number of axes";
    parameter Real q_begin[n] = zeros(n) "Positions in the beginning";
    parameter Real q_end[:] = {1} "Positions in the end";
    parameter Real qd_max[n] = fill(1, n) "Largest velocity of each axis";
    parameter Real qdd_max[n] = fill(1, n) "Largest acceleration of each axis";
    parameter Units.Time startTime = 0 "Time at which the motion begins";
    Interfaces.RealOutput q[n] "Reference positions"
      annotation(Placement(transformation(extent = {{100, 50}, {120, 70}})));
    Interfaces.RealOutput qd[n] "Reference velocities"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
    Interfaces.RealOutput qdd[n] "Reference accelerations"
      annotation(Placement(transformation(extent = {{100, -70}, {120, -50}})));
    final parameter Real sd_max = Functions.smallestRatio(qd_max, q_end - q_begin)
      "Largest rate of the path parameter";
    final parameter Real sdd_max = Functions.smallestRatio(qdd_max, q_end - q_begin)
      "Largest acceleration of the path parameter";
    final parameter Units.Time T1 = min(sd_max/sdd_max, sqrt(1/sdd_max)) "Duration of the acceleration";
    final parameter Units.Time T2 = max(T1, 1/(sdd_max*T1)) "Begin of the deceleration";
    final parameter Units.Time T3 = T1 + T2 "Duration of the motion";
    Real s "Path parameter, from 0 to 1";
    Real sd "Rate of the path parameter";
    Real sdd "Acceleration of the path parameter";
  protected
    Units.Time t "Time since the begin of the motion";
  equation
    t = time - startTime;
    if t < 0 then
      s = 0;
      sd = 0;
      sdd = 0;
    elseif t < T1 then
      s = sdd_max*t*t/2;
      sd = sdd_max*t;
      sdd = sdd_max;
    elseif t < T2 then
      s = sdd_max*T1*(t - T1/2);
      sd = sdd_max*T1;
      sdd = 0;
    elseif t < T3 then
      s = 1 - sdd_max*(T3 - t)*(T3 - t)/2;
      sd = sdd_max*(T3 - t);
      sdd = -sdd_max;
    else
      s = 1;
      sd = 0;
      sdd = 0;
    end if;
    q = q_begin + (q_end - q_begin)*s;
    qd = (q_end - q_begin)*sd;
    qdd = (q_end - q_begin)*sdd;
    annotation(
      Icon(graphics = {
        Line(points = {{-80, -60}, {-40, -50}, {40, 50}, {80, 60}}, color = {0, 0, 127}, smooth = Smooth.Bezier),
        Text(extent = {{60, 75}, {98, 45}}, textString = "q", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>All axes start and stop together and move along a straight line in the space of the positions. The motion
accelerates, goes on with constant velocity and decelerates, such that none of the given velocities and accelerations
is exceeded and at each instant at least one of them is reached. A motion that is too short to reach a largest
velocity has no middle part.</p>
</html>"));
  end PointToPoint;

  block BooleanConstant "Constant Boolean signal"
    extends Interfaces.BooleanSource;
    parameter Boolean k = true "The value";
  equation
    y = k;
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "%k", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>True or false at all times.</p>
</html>"));
  end BooleanConstant;

  block BooleanStep "Boolean signal that changes once"
    extends Interfaces.BooleanSource;
    parameter Units.Time startTime = 0 "Time of the change";
    parameter Boolean startValue = false "Value before the change";
  equation
    y = if time >= startTime then not startValue else startValue;
    annotation(
      Icon(graphics = {
        Line(points = {{-80, -60}, {0, -60}, {0, 60}, {80, 60}}, color = {0, 0, 127}),
        Text(extent = {{-150, -110}, {150, -140}}, textString = "startTime=%startTime")}),
      Documentation(info = "<html>
<p>Changes once, at <code>startTime</code>.</p>
</html>"));
  end BooleanStep;

  block BooleanPulse "Boolean pulses"
    extends Interfaces.BooleanSource;
    parameter Real width(min = 0, max = 1) = 0.5 "Part of the period for which the output is true";
    parameter Units.Time period(min = Constants.small) = 1 "Period";
    parameter Units.Time startTime = 0 "Begin of the first pulse";
  protected
    Units.Time begin(start = startTime) "Begin of the present period";
  initial equation
    // The simulation may begin several periods behind startTime.
    pre(begin) = startTime + period*noEvent(max(0, floor((time - startTime)/period)));
  equation
    when sample(startTime, period) then
      begin = time;
    end when;
    y = time >= begin and time < begin + width*period;
    annotation(
      Icon(graphics = {
        Line(points = {{-80, -60}, {-50, -60}, {-50, 60}, {0, 60}, {0, -60}, {50, -60}, {50, 60}, {80, 60}},
          color = {0, 0, 127}),
        Text(extent = {{-150, -110}, {150, -140}}, textString = "period=%period")}),
      Documentation(info = "<html>
<p>True for a part of each period.</p>
</html>"));
  end BooleanPulse;

  block BooleanTable "Boolean signal that changes at given times"
    extends Interfaces.BooleanSource;
    parameter Units.Time times[:] = {0, 1} "Times at which the output changes, increasing";
    parameter Boolean startValue = false "Value before the first change";
  protected
    Boolean passed[size(times, 1)] "Which of the times have passed?";
    Integer count "How many times have passed";
  equation
    for i in 1:size(times, 1) loop
      passed[i] = time >= times[i];
    end for;
    count = sum(if passed[i] then 1 else 0 for i in 1:size(times, 1));
    y = if mod(count, 2) == 1 then not startValue else startValue;
    annotation(
      Icon(graphics = {
        Rectangle(extent = {{-60, -60}, {60, 60}},
          lineColor = {0, 0, 127}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-60, 20}, {60, 20}}, color = {0, 0, 127}),
        Line(points = {{-60, -20}, {60, -20}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>Changes at each of the given instants.</p>
</html>"));
  end BooleanTable;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 0, 127}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-60, -60}, {-60, 60}}, color = {0, 0, 127}),
      Line(points = {{-60, -40}, {0, -40}, {0, 40}, {60, 40}}, color = {0, 0, 127})}),
    Documentation(info = "<html>
<p>Signals that are functions of time.</p>
</html>"));
end Sources;
