// 4.6: records: whole record equations, constructors, arrays of records, nested records, protected variables.
record Point
  Real x = 0;
  Real y;
end Point;
record Segment
  Point a;
  Point b;
  parameter Real width = 1;
end Segment;
model Records
  Point p = Point(time, 2);
  Point q = Point(y = 3);
  Segment s(a = p, b = q, width = 5);
  Point list[2];
  Real ys[2] = list.y;
protected
  Point hidden;
equation
  list = {p, Point(y = 4)};
  hidden.x = list[1].x;
  hidden.y = s.b.y;
end Records;
