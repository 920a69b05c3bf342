// expect: K0353
model M "a field without a value"
  record Point
    Real x;
    Real y;
  end Point;
  Point p = Point(1);
end M;
