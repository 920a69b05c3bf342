model M
equation
  connect(a);
  connect(a, b, c);
  connect a, b;
  connect(a.b[1], 2);
  connect(a, b) annotation (Line(points = {{0, 0}, {1, 1}}));
end M;
