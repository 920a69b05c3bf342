within Kausal.MultiBody;
package Functions "Vectors and rotations"
  function perpendicular "A unit vector normal to a given one"
    input Real e[3] "Unit vector";
    output Real p[3] "Unit vector normal to it";
  protected
    Real x[3] "The direction of the axis that is least parallel to e, made normal to e";
  algorithm
    if abs(e[1]) <= abs(e[2]) and abs(e[1]) <= abs(e[3]) then
      x := {1, 0, 0} - e[1]*e;
    elseif abs(e[2]) <= abs(e[3]) then
      x := {0, 1, 0} - e[2]*e;
    else
      x := {0, 0, 1} - e[3]*e;
    end if;
    p := x/sqrt(x*x);
    annotation(
      Documentation(info = "<html>
<p>Starts from the axis of coordinates that is least parallel to the vector, so that nothing is divided by a small
number.</p>
</html>"));
  end perpendicular;

  function quaternion "Quaternion of rotations about the axes x, y, z, one after the other"
    input Units.Angle angles[3] "Angles";
    output Real Q[4] "Quaternion: three elements along the axis, then the scalar";
  protected
    Real c[3] = {cos(angles[1]/2), cos(angles[2]/2), cos(angles[3]/2)};
    Real s[3] = {sin(angles[1]/2), sin(angles[2]/2), sin(angles[3]/2)};
  algorithm
    Q := {s[1]*c[2]*c[3] + c[1]*s[2]*s[3],
      c[1]*s[2]*c[3] - s[1]*c[2]*s[3],
      c[1]*c[2]*s[3] + s[1]*s[2]*c[3],
      c[1]*c[2]*c[3] - s[1]*s[2]*s[3]};
    annotation(
      Documentation(info = "<html>
<p>The second rotation is about the y axis as it is after the first, the third about the z axis as it is after the
second.</p>
</html>"));
  end quaternion;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {90, 80, 40}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Text(extent = {{-60, 60}, {60, -60}}, textString = "f", textColor = {90, 80, 40})}),
    Documentation(info = "<html>
<p>Functions on vectors and rotations.</p>
</html>"));
end Functions;
