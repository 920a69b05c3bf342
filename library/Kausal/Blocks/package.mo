within Kausal;
package Blocks "Signals and control"
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 0, 127}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{-40, -40}, {40, 40}},
        lineColor = {0, 0, 127}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-90, 0}, {-40, 0}}, color = {0, 0, 127}),
      Line(points = {{40, 0}, {90, 0}}, color = {0, 0, 127})}),
    Documentation(info = "<html>
<p>Blocks compute outputs from inputs. They are connected from output to input, one output to any number of inputs.
Continuous blocks with an initial value have the parameter <code>y_start</code> or <code>x_start</code>; with
<code>steady = true</code> they begin in steady state instead.</p>
</html>"));
end Blocks;
