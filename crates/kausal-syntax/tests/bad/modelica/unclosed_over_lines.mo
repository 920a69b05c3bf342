model M
  Real x = f(a,
             b,
             c;
  parameter Real k(start = 1, min = 0
    "gain";
  annotation (Icon(graphics = {Line(points = {{0, 0}, {1, 1}})};
end M;
