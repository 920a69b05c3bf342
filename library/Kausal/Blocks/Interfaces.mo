within Kausal.Blocks;
package Interfaces "Connectors and partial blocks"
  connector RealInput = input Real "Real input signal"
    annotation(Icon(graphics = {Polygon(points = {{-100, 100}, {100, 0}, {-100, -100}}, lineColor = {0, 0, 127},
      fillColor = {0, 0, 127}, fillPattern = FillPattern.Solid)}),
      Documentation(info = "<html>
<p>A <code>Real</code> number that comes from outside.</p>
</html>"));
  connector RealOutput = output Real "Real output signal"
    annotation(Icon(graphics = {Polygon(points = {{-100, 100}, {100, 0}, {-100, -100}}, lineColor = {0, 0, 127},
      fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid)}),
      Documentation(info = "<html>
<p>A <code>Real</code> number that goes out. One output may be connected to many inputs.</p>
</html>"));
  connector BooleanInput = input Boolean "Boolean input signal"
    annotation(Icon(graphics = {Polygon(points = {{-100, 100}, {100, 0}, {-100, -100}}, lineColor = {200, 0, 200},
      fillColor = {200, 0, 200}, fillPattern = FillPattern.Solid)}),
      Documentation(info = "<html>
<p>A truth value that comes from outside.</p>
</html>"));
  connector BooleanOutput = output Boolean "Boolean output signal"
    annotation(Icon(graphics = {Polygon(points = {{-100, 100}, {100, 0}, {-100, -100}}, lineColor = {200, 0, 200},
      fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid)}),
      Documentation(info = "<html>
<p>A truth value that goes out. One output may be connected to many inputs.</p>
</html>"));
  connector IntegerInput = input Integer "Integer input signal"
    annotation(Icon(graphics = {Polygon(points = {{-100, 100}, {100, 0}, {-100, -100}}, lineColor = {200, 110, 0},
      fillColor = {200, 110, 0}, fillPattern = FillPattern.Solid)}),
      Documentation(info = "<html>
<p>A whole number that comes from outside.</p>
</html>"));
  connector IntegerOutput = output Integer "Integer output signal"
    annotation(Icon(graphics = {Polygon(points = {{-100, 100}, {100, 0}, {-100, -100}}, lineColor = {200, 110, 0},
      fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid)}),
      Documentation(info = "<html>
<p>A whole number that goes out. One output may be connected to many inputs.</p>
</html>"));

  partial block Block "The frame that all blocks have"
    annotation(
      Icon(graphics = {
        Rectangle(extent = {{-100, -100}, {100, 100}},
          lineColor = {0, 0, 127}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>The frame and the name that all blocks show.</p>
</html>"));
  end Block;

  partial block Source "Block with one output"
    extends Block;
    RealOutput y "Output"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
    annotation(
      Documentation(info = "<html>
<p>A block with the output <code>y</code> and no input; what extends it gives the equation of <code>y</code>.</p>
</html>"));
  end Source;

  partial block SignalSource "Source with offset and start time"
    extends Source;
    parameter Real offset = 0 "Output before the signal begins";
    parameter Units.Time startTime = 0 "Time at which the signal begins";
    annotation(
      Documentation(info = "<html>
<p>The output is <code>offset</code> until <code>startTime</code>; from then on the signal is added to it.</p>
</html>"));
  end SignalSource;

  partial block SISO "Block with one input and one output"
    extends Block;
    RealInput u "Input"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
    RealOutput y "Output"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
    annotation(
      Documentation(info = "<html>
<p>What extends it gives one equation, for <code>y</code>.</p>
</html>"));
  end SISO;

  partial block SI2SO "Block with two inputs and one output"
    extends Block;
    RealInput u1 "First input"
      annotation(Placement(transformation(extent = {{-120, 50}, {-100, 70}})));
    RealInput u2 "Second input"
      annotation(Placement(transformation(extent = {{-120, -70}, {-100, -50}})));
    RealOutput y "Output"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
    annotation(
      Documentation(info = "<html>
<p>What extends it gives one equation, for <code>y</code> from <code>u1</code> and <code>u2</code>.</p>
</html>"));
  end SI2SO;

  partial block MISO "Block with a vector of inputs and one output"
    extends Block;
    parameter Integer n(min = 0) = 1 "Number of inputs";
    RealInput u[n] "Inputs"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
    RealOutput y "Output"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
    annotation(
      Documentation(info = "<html>
<p>The input <code>u</code> is a vector of <code>n</code> signals; the output is one.</p>
</html>"));
  end MISO;

  partial block MIMO "Block with vectors of inputs and outputs"
    extends Block;
    parameter Integer nu(min = 0) = 1 "Number of inputs";
    parameter Integer ny(min = 0) = 1 "Number of outputs";
    RealInput u[nu] "Inputs"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
    RealOutput y[ny] "Outputs"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
    annotation(
      Documentation(info = "<html>
<p>Input and output are vectors of the sizes that the parameters say.</p>
</html>"));
  end MIMO;

  partial block BooleanSource "Block with one Boolean output"
    extends Block;
    BooleanOutput y "Output"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
    annotation(
      Documentation(info = "<html>
<p>A block with the Boolean output <code>y</code> and no input.</p>
</html>"));
  end BooleanSource;

  partial block BooleanSISO "Block with one Boolean input and one Boolean output"
    extends Block;
    BooleanInput u "Input"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
    BooleanOutput y "Output"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
    annotation(
      Documentation(info = "<html>
<p>What extends it gives one equation, for <code>y</code>.</p>
</html>"));
  end BooleanSISO;

  partial block BooleanSI2SO "Block with two Boolean inputs and one Boolean output"
    extends Block;
    BooleanInput u1 "First input"
      annotation(Placement(transformation(extent = {{-120, 50}, {-100, 70}})));
    BooleanInput u2 "Second input"
      annotation(Placement(transformation(extent = {{-120, -70}, {-100, -50}})));
    BooleanOutput y "Output"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
    annotation(
      Documentation(info = "<html>
<p>What extends it gives one equation, for <code>y</code> from <code>u1</code> and <code>u2</code>.</p>
</html>"));
  end BooleanSI2SO;

  partial block Comparison "Block that compares two signals"
    extends Block;
    RealInput u1 "First input"
      annotation(Placement(transformation(extent = {{-120, 50}, {-100, 70}})));
    RealInput u2 "Second input"
      annotation(Placement(transformation(extent = {{-120, -70}, {-100, -50}})));
    BooleanOutput y "Result"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
    annotation(
      Documentation(info = "<html>
<p>Compares the Real numbers <code>u1</code> and <code>u2</code>; where the result changes there is an event.</p>
</html>"));
  end Comparison;

  partial block ThresholdComparison "Block that compares a signal with a threshold"
    extends Block;
    parameter Real threshold = 0 "Threshold";
    RealInput u "Input"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
    BooleanOutput y "Result"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
    annotation(
      Documentation(info = "<html>
<p>Compares <code>u</code> with the constant <code>threshold</code>; where the result changes there is an event.</p>
</html>"));
  end ThresholdComparison;

  partial block Sampled "Block that works at equidistant instants"
    extends Block;
    parameter Units.Time samplePeriod(min = 100*Constants.eps) = 0.1 "Sample period";
    parameter Units.Time startTime = 0 "First sample instant";
  protected
    Boolean sampling "true at the sample instants";
  equation
    sampling = sample(startTime, samplePeriod);
    annotation(
      Documentation(info = "<html>
<p>Works at <code>startTime</code>, <code>startTime + samplePeriod</code> and so on: what extends it says what happens
when <code>sampling</code>.</p>
</html>"));
  end Sampled;

  partial block SampledSISO "Sampled block with one input and one output"
    extends Sampled;
    RealInput u "Input"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
    RealOutput y "Output, constant between the sample instants"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
    annotation(
      Documentation(info = "<html>
<p>Between the instants of sampling the output does not change.</p>
</html>"));
  end SampledSISO;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 0, 127}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Polygon(points = {{-40, 40}, {40, 0}, {-40, -40}},
        lineColor = {0, 0, 127}, fillColor = {0, 0, 127}, fillPattern = FillPattern.Solid)}),
    Documentation(info = "<html>
<p>Signals go from outputs to inputs; what extends one of the partial blocks adds its equations and its icon.</p>
</html>"));
end Interfaces;
