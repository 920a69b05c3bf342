// 4.6: records: whole record equations, constructors, arrays of records, nested records, protected variables.
record Point
  Real x = 0;
  Real y;
end Point;
record Bare
  Real x;
  Real y;
end Bare;
record Segment
  Point a;
  Point b;
  parameter Real width = 1;
end Segment;
model Records
  Point p = Point(time, 2);
  Point q = Point(y = 3);
  Segment s(a = p, b = q, width = 5);
  Bare list[2];
  Real ys[2] = list.y;
protected
  Bare hidden;
equation
  list = {Bare(p.x, p.y), Bare(y = 4, x = 5)};
  hidden.x = list[1].x;
  hidden.y = s.b.y;
end Records;
