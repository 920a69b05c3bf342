// expect: K0352
model M "a record has no such field"
  record Point
    Real x;
    Real y;
  end Point;
  Point p = Point(x = 1, z = 2);
end M;
