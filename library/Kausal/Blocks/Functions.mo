within Kausal.Blocks;
package Functions "Functions used by the blocks"
  function interpolate "Linear interpolation in a table, with the end values held outside"
    input Real x[:] "Abscissas, increasing";
    input Real y[size(x, 1)] "Ordinates";
    input Real u "Where to interpolate";
    output Real v "Interpolated value";
  protected
    Integer i "Interval in which u lies";
    Integer n = size(x, 1);
  algorithm
    if n == 1 or u <= x[1] then
      v := y[1];
    elseif u >= x[n] then
      v := y[n];
    else
      i := 1;
      while u > x[i + 1] loop
        i := i + 1;
      end while;
      v := y[i] + (y[i + 1] - y[i])*(u - x[i])/(x[i + 1] - x[i]);
    end if;
    annotation(
      Documentation(info = "<html>
<p>Linear between two rows; before the first and behind the last one the end values are held.</p>
</html>"));
  end interpolate;

  function smallestRatio "Smallest ratio of bounds to distances, ignoring distances that are zero"
    input Real bound[:] "Bounds, positive";
    input Real distance[size(bound, 1)] "Distances";
    output Real ratio "min(bound[i]/abs(distance[i])), or the smallest bound when all distances are zero";
  algorithm
    ratio := Constants.inf;
    for i in 1:size(bound, 1) loop
      if abs(distance[i])*ratio > bound[i] then
        ratio := bound[i]/abs(distance[i]);
      end if;
    end for;
    if ratio >= Constants.inf then
      ratio := min(bound);
    end if;
    annotation(
      Documentation(info = "<html>
<p>How fast a common parameter of several motions may grow so that none of them exceeds its limit.</p>
</html>"));
  end smallestRatio;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 0, 127}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Text(extent = {{-60, 60}, {60, -60}}, textString = "f", textColor = {0, 0, 127})}),
    Documentation(info = "<html>
<p>Functions that blocks use.</p>
</html>"));
end Functions;
