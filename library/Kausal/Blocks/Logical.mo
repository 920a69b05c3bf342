within Kausal.Blocks;
package Logical "Boolean signals"
  block And "Both inputs are true"
    extends Interfaces.BooleanSI2SO;
  equation
    y = u1 and u2;
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "and", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>True while both inputs are.</p>
</html>"));
  end And;

  block Or "At least one input is true"
    extends Interfaces.BooleanSI2SO;
  equation
    y = u1 or u2;
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "or", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>True while at least one input is.</p>
</html>"));
  end Or;

  block Xor "Exactly one input is true"
    extends Interfaces.BooleanSI2SO;
  equation
    y = u1 <> u2;
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "xor", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>True while exactly one input is.</p>
</html>"));
  end Xor;

  block Not "The input is false"
    extends Interfaces.BooleanSISO;
  equation
    y = not u;
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "not", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>True while the input is not.</p>
</html>"));
  end Not;

  block Edge "true at the instant at which the input becomes true"
    extends Interfaces.BooleanSISO;
  equation
    y = edge(u);
    annotation(
      Icon(graphics = {
        Line(points = {{-60, -60}, {0, -60}, {0, 60}, {60, 60}}, color = {0, 0, 127}),
        Line(points = {{-10, 20}, {0, 40}, {10, 20}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>True at the instant at which the input becomes true.</p>
</html>"));
  end Edge;

  block FallingEdge "true at the instant at which the input becomes false"
    extends Interfaces.BooleanSISO;
  equation
    y = not u and pre(u);
    annotation(
      Icon(graphics = {
        Line(points = {{-60, 60}, {0, 60}, {0, -60}, {60, -60}}, color = {0, 0, 127}),
        Line(points = {{-10, -20}, {0, -40}, {10, -20}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>True at the instant at which the input becomes false.</p>
</html>"));
  end FallingEdge;

  block Change "true at the instants at which the input changes"
    extends Interfaces.BooleanSISO;
  equation
    y = change(u);
    annotation(
      Icon(graphics = {
        Line(points = {{-60, -60}, {-20, -60}, {-20, 60}, {20, 60}, {20, -60}, {60, -60}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>True at each instant at which the input changes.</p>
</html>"));
  end Change;

  block Pre "The input before the present event"
    extends Interfaces.BooleanSISO(u(start = start, fixed = true));
    parameter Boolean start = false "Initial value";
  equation
    y = pre(u);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "pre", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>Breaks loops of Boolean equations: the output follows the input in the next step of the event iteration.</p>
</html>"));
  end Pre;

  block FlipFlop "Set and reset"
    extends Interfaces.Block;
    parameter Boolean start = false "Initial output";
    Interfaces.BooleanInput set "true: the output becomes true"
      annotation(Placement(transformation(extent = {{-120, 50}, {-100, 70}})));
    Interfaces.BooleanInput reset "true: the output becomes false, unless set too"
      annotation(Placement(transformation(extent = {{-120, -70}, {-100, -50}})));
    Interfaces.BooleanOutput y "Output"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
  initial equation
    pre(y) = start;
  equation
    y = set or pre(y) and not reset;
    annotation(
      Icon(graphics = {
        Text(extent = {{-90, 80}, {-30, 40}}, textString = "S", textColor = {0, 0, 127}),
        Text(extent = {{-90, -40}, {-30, -80}}, textString = "R", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>A memory: set by one input, reset by the other.</p>
</html>"));
  end FlipFlop;

  block Timer "Time since the input became true"
    extends Interfaces.Block;
    Interfaces.BooleanInput u "Input"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
    Interfaces.RealOutput y(unit = "s") "Time since the input became true, 0 while it is false"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
  protected
    discrete Units.Time since "When the input became true";
  initial equation
    pre(since) = time;
  equation
    when u then
      since = time;
    end when;
    y = if u then time - since else 0;
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-60, -60}, {60, 60}},
          lineColor = {0, 0, 127}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{0, 0}, {0, 50}}, color = {0, 0, 127}),
        Line(points = {{0, 0}, {30, 10}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>The time since the input became true, zero while it is false.</p>
</html>"));
  end Timer;

  block OnDelay "true when the input has been true for a while"
    extends Interfaces.BooleanSISO;
    parameter Units.Time T(min = 0) = 1 "How long the input must have been true";
  protected
    discrete Units.Time since "When the input became true";
  initial equation
    pre(since) = time;
  equation
    when u then
      since = time;
    end when;
    y = u and time >= since + T;
    annotation(
      Icon(graphics = {
        Line(points = {{-80, 20}, {-40, 20}, {-40, 60}, {60, 60}}, color = {0, 0, 127}),
        Line(points = {{-80, -60}, {20, -60}, {20, -20}, {60, -20}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>True when the input has been true for the whole delay; false at once with it.</p>
</html>"));
  end OnDelay;

  block Switch "Selects one of two signals"
    extends Interfaces.SI2SO;
    Interfaces.BooleanInput select "true: u1, false: u2"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
  equation
    y = if select then u1 else u2;
    annotation(
      Icon(graphics = {
        Line(points = {{-100, 60}, {-40, 60}}, color = {0, 0, 127}),
        Line(points = {{-100, -60}, {-40, -60}}, color = {0, 0, 127}),
        Line(points = {{-40, 60}, {40, 0}}, color = {0, 0, 127}),
        Line(points = {{40, 0}, {100, 0}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>One of two Real inputs, chosen by a Boolean one.</p>
</html>"));
  end Switch;

  block LogicalSwitch "Selects one of two Boolean signals"
    extends Interfaces.BooleanSI2SO;
    Interfaces.BooleanInput select "true: u1, false: u2"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
  equation
    y = if select then u1 else u2;
    annotation(
      Icon(graphics = {
        Line(points = {{-100, 60}, {-40, 60}}, color = {0, 0, 127}),
        Line(points = {{-100, -60}, {-40, -60}}, color = {0, 0, 127}),
        Line(points = {{-40, 60}, {40, 0}}, color = {0, 0, 127}),
        Line(points = {{40, 0}, {100, 0}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>One of two Boolean inputs, chosen by a third.</p>
</html>"));
  end LogicalSwitch;

  block Greater "u1 > u2"
    extends Interfaces.Comparison;
  equation
    y = u1 > u2;
    annotation(
      Icon(graphics = {
        Text(extent = {{-60, 40}, {60, -40}}, textString = ">", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>Compares two signals. The instants at which the relation changes are found as events.</p>
</html>"));
  end Greater;

  block Less "u1 < u2"
    extends Interfaces.Comparison;
  equation
    y = u1 < u2;
    annotation(
      Icon(graphics = {
        Text(extent = {{-60, 40}, {60, -40}}, textString = "<", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>Compares two signals. The instants at which the relation changes are found as events.</p>
</html>"));
  end Less;

  block GreaterThreshold "u > threshold"
    extends Interfaces.ThresholdComparison;
  equation
    y = u > threshold;
    annotation(
      Icon(graphics = {
        Text(extent = {{-60, 40}, {60, -40}}, textString = ">", textColor = {0, 0, 127}),
        Text(extent = {{-150, -110}, {150, -140}}, textString = "%threshold")}),
      Documentation(info = "<html>
<p>Compares a signal with a number. The instants at which the relation changes are found as events.</p>
</html>"));
  end GreaterThreshold;

  block LessThreshold "u < threshold"
    extends Interfaces.ThresholdComparison;
  equation
    y = u < threshold;
    annotation(
      Icon(graphics = {
        Text(extent = {{-60, 40}, {60, -40}}, textString = "<", textColor = {0, 0, 127}),
        Text(extent = {{-150, -110}, {150, -140}}, textString = "%threshold")}),
      Documentation(info = "<html>
<p>Compares a signal with a number. The instants at which the relation changes are found as events.</p>
</html>"));
  end LessThreshold;

  block Hysteresis "Comparison with two thresholds"
    extends Interfaces.Block;
    parameter Real uHigh = 1 "Above this input the output is true";
    parameter Real uLow = 0 "Below this input the output is false";
    parameter Boolean start = false "Initial output, between the two thresholds";
    Interfaces.RealInput u "Input"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
    Interfaces.BooleanOutput y "Output"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
  initial equation
    pre(y) = start;
  equation
    y = u > uHigh or pre(y) and u >= uLow;
    annotation(
      Icon(graphics = {
        Line(points = {{-80, -60}, {40, -60}, {40, 60}}, color = {0, 0, 127}),
        Line(points = {{80, 60}, {-40, 60}, {-40, -60}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>Becomes true above the upper limit and false below the lower one; in between it stays as it is. A two-point
controller is this and <code>BooleanToReal</code>.</p>
</html>"));
  end Hysteresis;

  block BooleanToReal "Real values for true and false"
    extends Interfaces.Block;
    parameter Real yTrue = 1 "Output for true";
    parameter Real yFalse = 0 "Output for false";
    Interfaces.BooleanInput u "Input"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
    Interfaces.RealOutput y "Output"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
  equation
    y = if u then yTrue else yFalse;
    annotation(
      Icon(graphics = {
        Text(extent = {{-90, 40}, {0, -40}}, textString = "B", textColor = {0, 0, 127}),
        Text(extent = {{0, 40}, {90, -40}}, textString = "R", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>One number for true, another for false.</p>
</html>"));
  end BooleanToReal;

  block Counter "Counts how often the input becomes true"
    extends Interfaces.Block;
    parameter Integer start = 0 "Initial count";
    Interfaces.BooleanInput u "Input"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
    Interfaces.IntegerOutput y(start = start, fixed = true) "Count"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
  equation
    when u then
      y = pre(y) + 1;
    end when;
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "123", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>Counts how often the input has become true.</p>
</html>"));
  end Counter;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 0, 127}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-60, -40}, {0, -40}, {0, 40}, {60, 40}}, color = {0, 0, 127})}),
    Documentation(info = "<html>
<p>Blocks with Boolean signals, and those between Boolean and Real ones.</p>
</html>"));
end Logical;
